// One trampoline per exported name: an indirect jump through its slot. A slot that is not connected
// yet leads to resolve_slot, which keeps all argument registers and jumps to what it finds.
        .macro trampoline symbol, binding
        .text
        .p2align 4
        .\binding \symbol
        .type   \symbol, @function
\symbol:
        .cfi_startproc
        endbr64
        jmp     *.Lslot\@(%rip)
.Lunconnected\@:
        endbr64
        leaq    .Lslot\@(%rip), %r11
        jmp     resolve_slot
        .cfi_endproc
        .size   \symbol, . - \symbol
        .section .data.rel.local, "aw"
.Lslot\@:
        .quad   .Lunconnected\@
        .endm

        .section .data.rel.local, "aw"
        .p2align 3
        .globl  tutti_preload_slots
        .hidden tutti_preload_slots
        .type   tutti_preload_slots, @object
tutti_preload_slots:

#define TUTTI_FUNCTION(name) \
        trampoline MPI_##name, weak ; \
        trampoline PMPI_##name, globl ;
#define TUTTI_INNER_FUNCTION(name) \
        trampoline name, globl ; \
        .quad  0 ;
#include "functions.inc"

        .section .data.rel.local, "aw"
        .size   tutti_preload_slots, . - tutti_preload_slots

        // In: %r11 = address of the slot. Entered with the stack as the caller's call left it.
        .text
        .p2align 4
        .type   resolve_slot, @function
resolve_slot:
        .cfi_startproc
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        subq    $192, %rsp
        movaps  %xmm0, 0(%rsp)
        movaps  %xmm1, 16(%rsp)
        movaps  %xmm2, 32(%rsp)
        movaps  %xmm3, 48(%rsp)
        movaps  %xmm4, 64(%rsp)
        movaps  %xmm5, 80(%rsp)
        movaps  %xmm6, 96(%rsp)
        movaps  %xmm7, 112(%rsp)
        movq    %rdi, 128(%rsp)
        movq    %rsi, 136(%rsp)
        movq    %rdx, 144(%rsp)
        movq    %rcx, 152(%rsp)
        movq    %r8, 160(%rsp)
        movq    %r9, 168(%rsp)
        movq    %rax, 176(%rsp)
        movq    %r10, 184(%rsp)
        movq    %r11, %rdi
        call    tutti_preload_resolve
        movq    %rax, %r11
        movaps  0(%rsp), %xmm0
        movaps  16(%rsp), %xmm1
        movaps  32(%rsp), %xmm2
        movaps  48(%rsp), %xmm3
        movaps  64(%rsp), %xmm4
        movaps  80(%rsp), %xmm5
        movaps  96(%rsp), %xmm6
        movaps  112(%rsp), %xmm7
        movq    128(%rsp), %rdi
        movq    136(%rsp), %rsi
        movq    144(%rsp), %rdx
        movq    152(%rsp), %rcx
        movq    160(%rsp), %r8
        movq    168(%rsp), %r9
        movq    176(%rsp), %rax
        movq    184(%rsp), %r10
        leave
        .cfi_def_cfa %rsp, 8
        jmp     *%r11
        .cfi_endproc
        .size   resolve_slot, . - resolve_slot

        .section .note.GNU-stack, "", @progbits
