# Tells the processor that memory at an address will be read soon, where the compiler can. To compilers this is
# no effect, and they would leave out a function without any: the second statement, which is empty, is one.
cdef extern from *:
    """
    #ifdef __GNUC__
    #define errata_prefetch(address) do { __builtin_prefetch(address); __asm__ volatile(""); } while (0)
    #else
    #define errata_prefetch(address) ((void)(address))
    #endif
    """
    void prefetch "errata_prefetch" (const void *address) noexcept nogil
