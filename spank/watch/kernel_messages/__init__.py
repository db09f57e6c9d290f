"""One kind of kernel line a file: each defines ``MESSAGE``."""
