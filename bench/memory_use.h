// How much memory this process uses.
#ifndef BENCH_MEMORY_USE_H
#define BENCH_MEMORY_USE_H

#include <stdint.h>

// Local. Bytes in use on the heap, and resident bytes now.
int64_t heap_bytes(void);
int64_t resident_bytes(void);

// Local. The highest resident size since the last forget_peak(), where the kernel can forget it.
void forget_peak(void);
int64_t peak_bytes(void);

#endif
