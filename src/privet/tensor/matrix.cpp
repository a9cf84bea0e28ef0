#include "privet/tensor/matrix.hpp"

#include <sys/mman.h>

#include <new>

namespace privet::tensor {
namespace {

constexpr std::size_t kHugePage = std::size_t{1} << 21;

std::align_val_t alignment(std::size_t bytes) {
  return std::align_val_t{bytes >= 2 * kHugePage ? kHugePage : kAlignment};
}

}  // namespace

void* allocate_aligned(std::size_t bytes) {
  void* memory = ::operator new(bytes, alignment(bytes));
#ifdef MADV_HUGEPAGE
  // Whole huge pages only; a refusal changes nothing but the speed.
  if (bytes >= 2 * kHugePage) ::madvise(memory, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
#endif
  return memory;
}

void deallocate_aligned(void* memory, std::size_t bytes) noexcept {
  ::operator delete(memory, alignment(bytes));
}

}  // namespace privet::tensor
