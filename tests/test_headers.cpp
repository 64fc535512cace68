// Exists so that the test libraries' headers have a program to be precompiled for.
int main() {}
