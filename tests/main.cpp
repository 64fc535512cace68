// Runs tests. Sentences have the command's words until a test chooses others.
#include <gtest/gtest.h>

#include "base/speech.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  mollify::speak(mollify::Speech::kCommand);
  return RUN_ALL_TESTS();
}
