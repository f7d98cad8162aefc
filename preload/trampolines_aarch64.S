// One trampoline per exported name: an indirect jump through its slot. A slot that is not connected
// yet leads to resolve_slot, which keeps all argument registers and jumps to what it finds.
        .macro trampoline symbol, binding
        .text
        .p2align 4
        .\binding \symbol
        .type   \symbol, %function
\symbol:
        .cfi_startproc
        bti     c
        adrp    x16, .Lslot\@
        ldr     x16, [x16, :lo12:.Lslot\@]
        br      x16
.Lunconnected\@:
        bti     j
        adrp    x17, .Lslot\@
        add     x17, x17, :lo12:.Lslot\@
        b       resolve_slot
        .cfi_endproc
        .size   \symbol, . - \symbol
        .section .data.rel.local, "aw"
.Lslot\@:
        .xword  .Lunconnected\@
        .endm

        .section .data.rel.local, "aw"
        .p2align 3
        .globl  tutti_preload_slots
        .hidden tutti_preload_slots
        .type   tutti_preload_slots, %object
tutti_preload_slots:

#define TUTTI_FUNCTION(name) \
        trampoline MPI_##name, weak ; \
        trampoline PMPI_##name, globl ;
#define TUTTI_INNER_FUNCTION(name) \
        trampoline name, globl ; \
        .xword  0 ;
#include "functions.inc"

        .section .data.rel.local, "aw"
        .size   tutti_preload_slots, . - tutti_preload_slots

        // In: x17 = address of the slot; x0-x8 and q0-q7 may hold arguments.
        .text
        .p2align 4
        .type   resolve_slot, %function
resolve_slot:
        .cfi_startproc
        stp     x29, x30, [sp, -224]!
        .cfi_def_cfa_offset 224
        .cfi_offset x29, -224
        .cfi_offset x30, -216
        mov     x29, sp
        stp     x0, x1, [sp, 16]
        stp     x2, x3, [sp, 32]
        stp     x4, x5, [sp, 48]
        stp     x6, x7, [sp, 64]
        str     x8, [sp, 80]
        stp     q0, q1, [sp, 96]
        stp     q2, q3, [sp, 128]
        stp     q4, q5, [sp, 160]
        stp     q6, q7, [sp, 192]
        mov     x0, x17
        bl      tutti_preload_resolve
        mov     x16, x0
        ldp     x0, x1, [sp, 16]
        ldp     x2, x3, [sp, 32]
        ldp     x4, x5, [sp, 48]
        ldp     x6, x7, [sp, 64]
        ldr     x8, [sp, 80]
        ldp     q0, q1, [sp, 96]
        ldp     q2, q3, [sp, 128]
        ldp     q4, q5, [sp, 160]
        ldp     q6, q7, [sp, 192]
        ldp     x29, x30, [sp], 224
        .cfi_def_cfa_offset 0
        br      x16
        .cfi_endproc
        .size   resolve_slot, . - resolve_slot

        .section .note.GNU-stack, "", %progbits
