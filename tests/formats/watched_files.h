// SQLite's files, with a look at every step that changes one.
#pragma once

#include <sqlite3.h>

#include <filesystem>
#include <functional>
#include <new>
#include <string>
#include <utility>

namespace mollify::test {

/// As long as it lives, databases are opened through it. Files are named without their folder.
class WatchedFiles {
 public:
  enum class Step {
    kOpen,          ///< a file is opened
    kLock,          ///< the right to read or write is asked for
    kWrite,         ///< bytes are written or cut off
    kSync,          ///< written bytes reach the disk
    kDelete,        ///< the file is deleted, but a power failure may bring it back
    kDeleteForever  ///< the file is deleted, and so is its entry on the disk
  };
  using Watch = std::function<void(Step, const std::string& name)>;

  /// `before` is called before each step, `after` after it.
  explicit WatchedFiles(Watch before, Watch after = {})
      : before_(std::move(before)), after_(std::move(after)) {
    system_ = sqlite3_vfs_find(nullptr);
    files_ = *system_;
    files_.zName = "watched";
    files_.pNext = nullptr;
    files_.pAppData = this;
    files_.szOsFile = static_cast<int>(sizeof(File)) + system_->szOsFile;
    files_.xOpen = [](sqlite3_vfs* files, const char* path, sqlite3_file* file, int flags,
                      int* out) {
      auto& all = *static_cast<WatchedFiles*>(files->pAppData);
      auto* const opened = new (file) File{{nullptr}, &all, path == nullptr ? "" : path};
      const int result = all.watched(Step::kOpen, opened->path, [&] {
        return all.system_->xOpen(all.system_, path, opened->real(), flags, out);
      });
      if (opened->real()->pMethods != nullptr) opened->base.pMethods = &methods();
      return result;
    };
    files_.xDelete = [](sqlite3_vfs* files, const char* path, int synced) {
      auto& all = *static_cast<WatchedFiles*>(files->pAppData);
      return all.watched(synced != 0 ? Step::kDeleteForever : Step::kDelete, path,
                         [&] { return all.system_->xDelete(all.system_, path, synced); });
    };
    sqlite3_vfs_register(&files_, 1);
  }
  ~WatchedFiles() {
    sqlite3_vfs_unregister(&files_);
    sqlite3_vfs_register(system_, 1);
  }
  WatchedFiles(const WatchedFiles&) = delete;
  WatchedFiles& operator=(const WatchedFiles&) = delete;

 private:
  /// Followed by the system's own file.
  struct File {
    sqlite3_file base;
    WatchedFiles* all;
    const char* path;  // SQLite keeps it as long as the file is open
    sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  };

  template <class Action>
  int watched(Step step, const char* path, const Action& action) {
    const std::string name = std::filesystem::path(path).filename().string();
    if (before_) before_(step, name);
    const int result = action();
    if (after_) after_(step, name);
    return result;
  }

  /// A method that is handed on, and watched as a step.
  template <Step kStep, auto kMethod, class... Arguments>
  static int stepping(sqlite3_file* file, Arguments... arguments) {
    auto* const opened = reinterpret_cast<File*>(file);
    return opened->all->watched(kStep, opened->path, [&] {
      return (opened->real()->pMethods->*kMethod)(opened->real(), arguments...);
    });
  }
  template <auto kMethod, class... Arguments>
  static int handed_on(sqlite3_file* file, Arguments... arguments) {
    auto* const real = reinterpret_cast<File*>(file)->real();
    return (real->pMethods->*kMethod)(real, arguments...);
  }

  static const sqlite3_io_methods& methods() {
    using Methods = sqlite3_io_methods;
    static const Methods all = [] {
      Methods made{};
      made.iVersion = 1;
      made.xClose = handed_on<&Methods::xClose>;
      made.xRead = handed_on<&Methods::xRead, void*, int, sqlite3_int64>;
      made.xWrite = stepping<Step::kWrite, &Methods::xWrite, const void*, int, sqlite3_int64>;
      made.xTruncate = stepping<Step::kWrite, &Methods::xTruncate, sqlite3_int64>;
      made.xSync = stepping<Step::kSync, &Methods::xSync, int>;
      made.xFileSize = handed_on<&Methods::xFileSize, sqlite3_int64*>;
      made.xLock = stepping<Step::kLock, &Methods::xLock, int>;
      made.xUnlock = handed_on<&Methods::xUnlock, int>;
      made.xCheckReservedLock = handed_on<&Methods::xCheckReservedLock, int*>;
      made.xFileControl = handed_on<&Methods::xFileControl, int, void*>;
      made.xSectorSize = handed_on<&Methods::xSectorSize>;
      made.xDeviceCharacteristics = handed_on<&Methods::xDeviceCharacteristics>;
      return made;
    }();
    return all;
  }

  Watch before_;
  Watch after_;
  sqlite3_vfs* system_;
  sqlite3_vfs files_{};
};

}  // namespace mollify::test
