/* An errno's symbol for records: strerrorname_np(3) is in glibc 2.32 and later only. */
#ifndef GPUALERT_ERRNO_NAME_H
#define GPUALERT_ERRNO_NAME_H

/* "ENOSPC"; NULL for 0; "errno" for one that no stream and no file gives. */
const char *errno_name(int why);

#endif
