// What happens when the operating system refuses: the program stops, and says why.
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "core/random.h"

namespace mollify {

namespace {

/// From here on this process and its children get `error` from a system call.
void refuse(long system_call, int error) {
  std::array<sock_filter, 4> program = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(system_call), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog filter = {static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    std::perror("the system call cannot be refused");
    std::exit(0);
  }
}

void draw_without_entropy() {
  refuse(SYS_getrandom, EIO);
  SecureRandom random;
  std::printf("%d", static_cast<int>(random.word() & 1));
}

TEST(EntropyFailure, StopsTheProgram) {
  EXPECT_EXIT(draw_without_entropy(), ::testing::KilledBySignal(SIGABRT),
              "mollify: the operating system gives no entropy; stopping, because nothing private "
              "can be released safely");
}

/// A source that has begun needs no more entropy, until it finds itself in a child.
void fork_without_entropy() {
  SecureRandom random;
  random.word();
  refuse(SYS_getrandom, ENOSYS);
  for (int i = 0; i < 10'000; ++i) random.word();
  const pid_t child = fork();
  if (child == 0) std::_Exit(static_cast<int>(random.word() & 1));
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) std::raise(WTERMSIG(status));
}

TEST(EntropyFailure, StopsAChildThatNeedsNewEntropy) {
  EXPECT_EXIT(fork_without_entropy(), ::testing::KilledBySignal(SIGABRT),
              "mollify: the operating system gives no entropy");
}

void draw_without_memory() {
  refuse(SYS_mmap, ENOMEM);
  SecureRandom random;
  std::printf("%d", static_cast<int>(random.word() & 1));
}

TEST(EntropyFailure, StopsTheProgramWithoutMemoryForTheState) {
  EXPECT_EXIT(draw_without_memory(), ::testing::KilledBySignal(SIGABRT),
              "mollify: there is no memory for the random generator");
}

/// Where memory cannot be wiped on fork, being told of forks must do.
void fork_without_wiping() {
  refuse(SYS_madvise, EINVAL);
  SecureRandom random;
  random.word();
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) std::exit(1);
  const pid_t child = fork();
  if (child == 0) {
    const std::uint64_t word = random.word();
    std::_Exit(write(ends[1], &word, sizeof word) == sizeof word ? 0 : 1);
  }
  std::uint64_t childs = 0;
  if (read(ends[0], &childs, sizeof childs) != sizeof childs) std::exit(1);
  waitpid(child, nullptr, 0);
  std::fprintf(stderr, childs != 0 && childs != random.word() ? "they differ" : "they agree");
  std::exit(0);
}

TEST(EntropyFailure, ChildrenDifferWhereMemoryCannotBeWiped) {
  EXPECT_EXIT(fork_without_wiping(), ::testing::ExitedWithCode(0), "they differ");
}

}  // namespace

}  // namespace mollify
