// Runs tests. Sentences have the command's words, as most tests read them, unless one says otherwise.
#include <gtest/gtest.h>

#include "base/speech.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  mollify::speak(mollify::Speech::kCommand);
  return RUN_ALL_TESTS();
}
