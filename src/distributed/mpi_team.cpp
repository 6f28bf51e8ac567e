#include "distributed/mpi_team.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace mercer {

namespace {

constexpr int message_tag = 1;
/// How long a process that has failed waits for others to fail as well. The first of those that
/// have failed ends the job, and speaks.
std::chrono::milliseconds patience_of(int rank) {
  constexpr int first = 2000, each = 50, most = 20;
  return std::chrono::milliseconds(first + each * std::min(rank, most));
}

}  // namespace

class MpiJob::Communicator final : public Team {
 public:
  Communicator() {
    MPI_Comm_dup(MPI_COMM_WORLD, &all_);
    MPI_Comm_dup(MPI_COMM_WORLD, &end_);
    MPI_Comm_rank(all_, &rank_);
    MPI_Comm_size(all_, &size_);
    MPI_Comm here = MPI_COMM_NULL;
    MPI_Comm_split_type(all_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &here_);
    MPI_Comm_free(&here);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int processes_here() const { return here_; }
  Traffic traffic() const override { return traffic_; }

  void send(int to, const void* data, std::size_t bytes) override {
    MPI_Send(data, static_cast<int>(bytes), MPI_BYTE, to, message_tag, all_);
    count(bytes, 1);
  }
  void receive(int from, void* data, std::size_t bytes) override {
    MPI_Recv(data, static_cast<int>(bytes), MPI_BYTE, from, message_tag, all_, MPI_STATUS_IGNORE);
  }
  void exchange(int to, const void* out, std::size_t out_bytes, int from, void* in,
                std::size_t in_bytes) override {
    MPI_Sendrecv(out, static_cast<int>(out_bytes), MPI_BYTE, out_bytes > 0 ? to : MPI_PROC_NULL,
                 message_tag, in, static_cast<int>(in_bytes), MPI_BYTE,
                 in_bytes > 0 ? from : MPI_PROC_NULL, message_tag, all_, MPI_STATUS_IGNORE);
    if (out_bytes > 0) count(out_bytes, 1);
  }
  void broadcast(int root, void* data, std::size_t bytes) override {
    MPI_Bcast(data, static_cast<int>(bytes), MPI_BYTE, root, all_);
    if (rank_ == root) count(bytes * static_cast<std::size_t>(size_ - 1), size_ - 1);
  }

  bool all_come() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(end_, &request);
    pending_ = request;
    return come();
  }
  bool come() {
    int done = 0;
    MPI_Test(&pending_, &done, MPI_STATUS_IGNORE);
    return done != 0;
  }
  void free() {
    MPI_Comm_free(&all_);
    MPI_Comm_free(&end_);
  }

 private:
  void count(std::size_t bytes, int messages) {
    traffic_.bytes += static_cast<double>(bytes);
    traffic_.messages += messages;
  }

  MPI_Comm all_ = MPI_COMM_NULL;
  MPI_Comm end_ = MPI_COMM_NULL;  // where those that have failed wait, whatever others do in `all_`
  MPI_Request pending_ = MPI_REQUEST_NULL;
  int rank_ = 0, size_ = 1, here_ = 1;
  Traffic traffic_;
};

MpiJob::MpiJob(int* argc, char*** argv) {
  int provided = 0;
  // Threads work between calls; only the one that called MPI_Init_thread calls MPI.
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
  team_ = std::make_unique<Communicator>();
}

MpiJob::~MpiJob() = default;

Team& MpiJob::team() { return *team_; }
int MpiJob::processes_here() const { return team_->processes_here(); }

int MpiJob::end(int code, const std::string& last_words) {
  const auto begin = std::chrono::steady_clock::now();
  bool together = team_->all_come();
  while (!together) {
    if (code != 0 && std::chrono::steady_clock::now() - begin > patience_of(team_->rank())) {
      [[maybe_unused]] const auto written =
          write(STDERR_FILENO, last_words.data(), last_words.size());
      MPI_Abort(MPI_COMM_WORLD, code);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    together = team_->come();
  }
  team_->free();
  MPI_Finalize();
  return code;
}

}  // namespace mercer
