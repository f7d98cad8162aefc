#include "memory_use.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>

static int64_t status_kilobytes(const char* key) {
  FILE* const status = fopen("/proc/self/status", "r");
  if (status == NULL) return 0;
  char line[256];
  long long kilobytes = 0;
  while (fgets(line, sizeof line, status) != NULL) {
    if (strncmp(line, key, strlen(key)) == 0 &&
        sscanf(line + strlen(key), ": %lld", &kilobytes) == 1)
      break;
  }
  fclose(status);
  return kilobytes;
}

int64_t heap_bytes(void) {
  const struct mallinfo2 info = mallinfo2();
  return (int64_t)(info.uordblks + info.hblkhd);
}

int64_t resident_bytes(void) { return status_kilobytes("VmRSS") * 1024; }

void forget_peak(void) {
  FILE* const refs = fopen("/proc/self/clear_refs", "w");
  if (refs == NULL) return;
  fputs("5", refs);
  fclose(refs);
}

int64_t peak_bytes(void) { return status_kilobytes("VmHWM") * 1024; }
