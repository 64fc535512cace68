// Another process, stopped before and after each of its system calls.
#pragma once

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <functional>

namespace mollify::test {

/// The place of a traced thread: before a system call, or after it.
struct Stop {
  std::uint64_t call = 0;  ///< SYS_...
  bool is_over = false;
  std::uint64_t first_argument = 0;  ///< before the call
  std::int64_t result = 0;           ///< after it
};

/// Looks at a stop; false kills the process there.
using AtStop = std::function<bool(const Stop&)>;

/// Runs an action in a process of its own; its exit status is 1 if the action throws.
inline pid_t in_child(const std::function<void()>& action) {
  const pid_t process = ::fork();
  if (process != 0) return process;
  int status = 0;
  try {
    action();
  } catch (...) {
    status = 1;
  }
  ::_exit(status);
}

/// -1 if it was killed.
inline int status_of(pid_t process) {
  int state = -1;
  ::waitpid(process, &state, __WALL);
  return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

/// The system call at a traced program's marks, which nothing else here makes.
constexpr std::uint64_t kMark = SYS_getppid;
inline void mark() { ::getppid(); }

/// Follows a thread that is traced and stopped, until it ends or is killed. Its exit status.
inline int follow(pid_t thread, const AtStop& at) {
  Stop stop;
  for (long signal = 0;;) {
    ::ptrace(PTRACE_SYSCALL, thread, nullptr, signal);
    int state = 0;
    if (::waitpid(thread, &state, __WALL) != thread) return -1;
    if (WIFEXITED(state)) return WEXITSTATUS(state);
    if (WIFSIGNALED(state)) return -1;
    signal = 0;
    if (WSTOPSIG(state) != (SIGTRAP | 0x80)) {
      if (state >> 16 == 0) signal = WSTOPSIG(state);
      continue;
    }
    __ptrace_syscall_info info{};
    ::ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info);
    stop.is_over = info.op == PTRACE_SYSCALL_INFO_EXIT;
    if (stop.is_over) {
      stop.result = info.exit.rval;
    } else {
      stop.call = info.entry.nr;
      stop.first_argument = info.entry.args[0];
    }
    if (at(stop)) continue;
    ::kill(thread, SIGKILL);
    return status_of(thread);
  }
}

constexpr int kTraceOptions = PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;

constexpr int kNotTraced = 99;

/// Runs an action in a process of its own and stops it at each system call. Its exit status; -1 if
/// it was killed; kNotTraced if this system does not let a program trace another.
inline int traced(const std::function<void()>& action, const AtStop& at) {
  const pid_t process = in_child([&] {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(kNotTraced);
    ::raise(SIGSTOP);
    action();
  });
  int state = 0;
  ::waitpid(process, &state, __WALL);
  if (WIFEXITED(state)) return WEXITSTATUS(state);
  ::ptrace(PTRACE_SETOPTIONS, process, nullptr, kTraceOptions);
  return follow(process, at);
}

/// Begins to trace a thread of a child that waits for something; it is stopped then.
inline bool trace(pid_t thread) {
  if (::ptrace(PTRACE_SEIZE, thread, nullptr, kTraceOptions) != 0) return false;
  ::ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr);
  return ::waitpid(thread, nullptr, __WALL) == thread;
}

}  // namespace mollify::test
