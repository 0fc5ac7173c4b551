#include "tests/support/mutations.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace troupe::test {
namespace {

uint32_t number_of_environment(const char* name, uint32_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<uint32_t>(std::strtoul(text, nullptr, 10));
}

}  // namespace

void mutate(std::string* bytes, std::mt19937& random) {
  for (unsigned n = 1 + random() % 4; n > 0 && !bytes->empty(); --n) {
    const size_t at =
        random() % 2 == 0 ? random() % std::min<size_t>(bytes->size(), 128) : random() % bytes->size();
    switch (random() % 6) {
      case 0: (*bytes)[at] = static_cast<char>(random()); break;
      case 1: (*bytes)[at] = static_cast<char>((*bytes)[at] ^ (1 << random() % 8)); break;
      case 2: bytes->resize(at); break;
      case 3: bytes->append(random() % 100, static_cast<char>(random())); break;
      case 4: bytes->insert(at, bytes->substr(random() % bytes->size(), random() % 16)); break;
      case 5: {
        const uint64_t special[] = {
            0, 1, ~uint64_t{0}, uint64_t{1} << 63, uint64_t{1} << 31, uint64_t{1} << 40, 254};
        const uint64_t value = special[random() % std::size(special)];
        const size_t word = at / 8 * 8;
        if (word + 8 <= bytes->size()) std::memcpy(bytes->data() + word, &value, sizeof(value));
        break;
      }
    }
  }
}

FuzzRun::FuzzRun()
    : seed(number_of_environment("TROUPE_FUZZ_SEED", 20)),
      until_(std::chrono::steady_clock::now() +
             std::chrono::seconds(number_of_environment("TROUPE_FUZZ_SECONDS", 3))) {
  random.seed(seed);
}

bool FuzzRun::next() {
  ++rounds;
  return std::chrono::steady_clock::now() < until_;
}

}  // namespace troupe::test
