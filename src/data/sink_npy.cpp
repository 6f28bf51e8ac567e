// NPY out: the header has room for any row count, and gets the true one at the end.

#include "core/require.hpp"
#include "core/team.hpp"
#include "data/npy_header.hpp"
#include "data/sink.hpp"

namespace mercer {

namespace {

template <class T>
class NpyWriter final : public Sink<T>::Writer {
 public:
  NpyWriter(std::unique_ptr<ByteSink> bytes, const std::vector<std::string>& columns)
      : bytes_(std::move(bytes)), cols_(static_cast<Index>(columns.size())) {
    require(bytes_->can_seek(), Errc::bad_option,
            "NPY cannot be written to {}: its header changes at the end; use CSV or a file",
            bytes_->name());
    if (!bytes_->continues()) bytes_->write(header());
  }

  void write(const MatrixRef<T>& rows, const TextColumn*, const TextColumn*, Index) override {
    if (cols_ == 0) cols_ = rows.cols();
    require(rows.cols() == cols_, Errc::bad_option,
            "rows of {} numbers do not match the {} columns of '{}'", rows.cols(), cols_,
            bytes_->name());
    const auto row_bytes = static_cast<std::size_t>(cols_) * sizeof(T);
    const auto* const data = reinterpret_cast<const char*>(rows.data());
    if (rows.outerStride() == cols_ || rows.rows() == 1) {
      bytes_->write({data, static_cast<std::size_t>(rows.rows()) * row_bytes});
    } else {
      packed_ = rows;
      bytes_->write({reinterpret_cast<const char*>(packed_.data()),
                     static_cast<std::size_t>(rows.rows()) * row_bytes});
    }
    rows_ += rows.rows();
  }

  void finish() override {
    if (finished_) return;
    rows_ = scan(bytes_->team(), rows_).total;
    bytes_->finish(header());
    finished_ = true;
  }
  void publish() override { bytes_->publish(); }

 private:
  std::string header() const {
    constexpr std::size_t size = 128;  // a multiple of 64, so that the numbers are aligned
    constexpr std::size_t before = 10;
    std::string out("\x93NUMPY\x01\x00", 8);
    out += static_cast<char>(size - before);
    out += '\0';
    out += fmt::format("{{'descr': '{}f{}', 'fortran_order': False, 'shape': ({}, {}), }}",
                       npy_native_order, sizeof(T), rows_, cols_);
    out.resize(size - 1, ' ');
    out += '\n';
    return out;
  }

  std::unique_ptr<ByteSink> bytes_;
  Index rows_ = 0;
  Index cols_ = 0;
  Matrix<T> packed_;
  bool finished_ = false;
};

}  // namespace

template <class T>
std::unique_ptr<typename Sink<T>::Writer> npy_writer(std::unique_ptr<ByteSink> bytes,
                                                     const std::vector<std::string>& columns) {
  return std::make_unique<NpyWriter<T>>(std::move(bytes), columns);
}

template std::unique_ptr<Sink<float>::Writer> npy_writer<float>(std::unique_ptr<ByteSink>,
                                                                const std::vector<std::string>&);
template std::unique_ptr<Sink<double>::Writer> npy_writer<double>(std::unique_ptr<ByteSink>,
                                                                  const std::vector<std::string>&);

}  // namespace mercer
