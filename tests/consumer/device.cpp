// The C program as C++: the header is for both.
#include "../../examples/on_a_device.c"  // NOLINT
