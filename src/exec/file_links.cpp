#include "exec/file_links.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "exec/progress.hpp"
#include "inspect/call_card.hpp"
#include "mpi/meeting.hpp"

namespace tutti {

namespace {

constexpr std::size_t kKeptAlike = 2;
constexpr std::size_t kKeptInAll = 8;

// The processes of a communicator in their order, and whether they share memory.
struct Key {
  std::vector<int> world_ranks;  // empty: not all are in MPI_COMM_WORLD
  bool shares_memory = false;
  friend bool operator<(const Key& a, const Key& b) {
    return std::tie(a.world_ranks, a.shares_memory) < std::tie(b.world_ranks, b.shares_memory);
  }
};

Key key_of(MPI_Comm comm, bool shares_memory) {
  int ranks = 0;
  PMPI_Comm_size(comm, &ranks);
  std::vector<int> here(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) here[static_cast<std::size_t>(r)] = r;
  Key key{std::vector<int>(here.size()), shares_memory};
  MPI_Group mine = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &mine);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_translate_ranks(mine, ranks, here.data(), world, key.world_ranks.data());
  PMPI_Group_free(&mine);
  PMPI_Group_free(&world);
  if (std::find(key.world_ranks.begin(), key.world_ranks.end(), MPI_UNDEFINED) !=
      key.world_ranks.end())
    key.world_ranks.clear();
  return key;
}

// What this process keeps for files to come. Other ranks may have kept something else, so whoever
// takes or leaves links asks them.
class Pool {
 public:
  std::uint64_t next_id() { return ++last_id_; }

  // The oldest of its kind, or none: closes that came in another order elsewhere do no harm.
  std::unique_ptr<FileLinks> take(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = idle_.find(key);
    if (key.world_ranks.empty() || found == idle_.end() || found->second.empty()) return nullptr;
    const auto oldest =
        std::min_element(found->second.begin(), found->second.end(),
                         [](const auto& a, const auto& b) { return a->id < b->id; });
    auto links = std::move(*oldest);
    found->second.erase(oldest);
    if (found->second.empty()) idle_.erase(found);
    --kept_;
    return links;
  }

  // Whether there is a place, which is then taken.
  bool reserve(const Key& key) {
    const std::lock_guard lock(mutex_);
    if (key.world_ranks.empty() || kept_ >= kKeptInAll) return false;
    const auto reserved = reserved_.find(key);
    const auto found = idle_.find(key);
    const std::size_t alike = (reserved == reserved_.end() ? 0 : reserved->second) +
                              (found == idle_.end() ? 0 : found->second.size());
    if (alike >= kKeptAlike) return false;
    ++reserved_[key];
    ++kept_;
    return true;
  }

  // Uses the place, or gives it up when there are no links.
  void settle(const Key& key, std::unique_ptr<FileLinks> links) {
    const std::lock_guard lock(mutex_);
    if (--reserved_[key] == 0) reserved_.erase(key);
    if (links)
      idle_[key].push_back(std::move(links));
    else
      --kept_;
  }

  // Puts back what was taken.
  void put_back(const Key& key, std::unique_ptr<FileLinks> links) {
    const std::lock_guard lock(mutex_);
    idle_[key].push_back(std::move(links));
    ++kept_;
  }

 private:
  std::atomic<std::uint64_t> last_id_ = 0;
  std::mutex mutex_;
  std::map<Key, std::vector<std::unique_ptr<FileLinks>>> idle_;
  std::map<Key, std::size_t> reserved_;
  std::size_t kept_ = 0;  // idle and reserved
};

Pool& pool() {
  static Pool& idle = *new Pool;  // goes down with MPI, not with exit handlers
  return idle;
}

// Collective. A number that no other links of these ranks have.
Result<std::uint64_t> new_id(MPI_Comm comm) {
  std::uint64_t id = pool().next_id();
  if (auto told = tell_from_first(comm, std::as_writable_bytes(std::span(&id, 1))); !told)
    return tl::make_unexpected(told.error());
  return id;
}

// Collective. Ranks of one node meet without messages from here on, if the system lets them.
Status attach_meeting_block(MPI_Comm comm) {
  auto block = NodeBlock::create(comm, kMeetingBytes);
  if (!block) return tl::make_unexpected(block.error());
  if (!block->available()) return {};
  block->set_while_waiting(progress_while_waiting);
  return attach_block(comm, std::move(*block));
}

// Open MPI has messages under way on a communicator in which a split has failed, and crashes in a
// later call if it is freed.
void keep_for_the_host([[maybe_unused]] OwnedComm comm) {
#if !defined(TUTTI_HOST_MPICH)
  (void)comm.release();
#endif
}

Result<FileLinks> make_links(MPI_Comm comm, bool shares_memory) {
  FileLinks links;
  links.shares_memory = shares_memory;
  auto own = duplicate_comm(comm);
  if (!own) return tl::make_unexpected(own.error());
  links.comm = std::move(*own);
  auto topology = find_topology(links.comm.get());
  if (!topology) {
    keep_for_the_host(std::move(links.comm));
    return tl::make_unexpected(topology.error());
  }
  links.topology = std::move(*topology);
  if (shares_memory && links.topology.one_node)
    if (auto attached = attach_meeting_block(links.comm.get()); !attached)
      return tl::make_unexpected(attached.error());
  auto connections = connect(links.comm.get(), links.topology, shares_memory);
  if (!connections) return tl::make_unexpected(connections.error());
  links.connections = std::move(*connections);
  links.has_node = links.connections.node.available();
  const auto id = new_id(links.comm.get());
  if (!id) return tl::make_unexpected(id.error());
  links.id = *id;
  return links;
}

}  // namespace

Result<Connections> connect(MPI_Comm comm, const Topology& topology, bool shares_memory) {
  Connections made;
  if (!shares_memory) return made;
  auto peers = PeerMemory::probe(comm, topology.node_of);
  if (!peers) return tl::make_unexpected(peers.error());
  made.peers = std::move(*peers);
  if (!topology.one_node) return made;
  const std::size_t ranks = topology.node_of.size();
  auto node = NodeBlock::create(comm, sizeof(CallCard));
  if (!node) return tl::make_unexpected(node.error());
  made.node = std::move(*node);
  made.node.set_while_waiting(progress_while_waiting);
  auto arena = Arena::create(comm, static_cast<int>(ranks));
  if (!arena) return tl::make_unexpected(arena.error());
  made.arena = std::move(*arena);
  made.arena.set_while_waiting(progress_while_waiting);
  if (!made.peers.available()) return made;
  made.table = std::make_unique<StagingTable>(static_cast<int>(ranks));
  made.table_of.resize(ranks);
  const auto mine = reinterpret_cast<std::uint64_t>(made.table->slots.data());
  if (auto told = gather_from_all(comm, std::as_bytes(std::span(&mine, 1)),
                                  reinterpret_cast<std::byte*>(made.table_of.data()));
      !told)
    return tl::make_unexpected(told.error());
  return made;
}

Result<FileLinks> take_links(MPI_Comm comm, bool shares_memory) {
  const Key key = key_of(comm, shares_memory);
  std::unique_ptr<FileLinks> found = pool().take(key);
  const std::int64_t id = found ? static_cast<std::int64_t>(found->id) : 0;
  std::array<std::int64_t, 3> least{id, -id, shares_memory ? 1 : 0};
  const Status met = least_of_all(comm, least);
  const bool same = met && least[0] == -least[1] && least[0] != 0;
  if (found && same) return std::move(*found);
  if (found) pool().put_back(key, std::move(found));
  if (!met) return tl::make_unexpected(met.error());
  return make_links(comm, least[2] != 0);
}

void give_back(FileLinks links) {
  const Key key = key_of(links.comm.get(), links.shares_memory);
  const bool has_place = links.id != 0 && pool().reserve(key);
  std::int64_t all_have = has_place ? 1 : 0;
  const Status met = least_of_all(links.comm.get(), {&all_have, 1});
  const bool kept = met && all_have != 0;
  if (has_place) pool().settle(key, kept ? std::make_unique<FileLinks>(std::move(links)) : nullptr);
}

}  // namespace tutti
