__alloc_pages().enter else __alloc_pages_noprof().enter | where pid == 30778 | count by stack
