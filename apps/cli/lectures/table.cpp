#include "lectures/examples.hpp"
#include "lectures/lecture.hpp"

namespace mercer::cli {

namespace {

constexpr std::string_view hebbian = "principal components and Hebbian learning";
constexpr std::string_view part_1 = "kernel PCA, part 1";
constexpr std::string_view part_2 = "kernel PCA, part 2: embeddings";
constexpr std::string_view part_3 = "kernel PCA, part 3: kernels and centring";
constexpr std::string_view stability = "the stability of the maximum eigenfilter";

constexpr Lecture lecture_table[] = {
    {"variance-probe", "The variance along a direction", hebbian, variance_probe},
    {"two-clouds", "Two clouds: Q and λ", hebbian, two_clouds},
    {"encode-decode", "Encode and decode: the loss", hebbian, encode_decode, "iris.csv"},
    {"compression", "Compression of images", hebbian, compression, "digits.csv"},
    {"hebb-growth", "Hebb's rule grows without bound", hebbian, hebb_growth},
    {"oja-normalized", "Oja's rule against the normalised rule", hebbian, oja_normalized},
    {"gha", "All components: the generalized Hebbian algorithm", hebbian, gha, "wine.csv"},
    {"rings", "Kernel PCA of two rings, step by step", part_1, rings_step_by_step},
    {"digits", "Scores as features for recognition", part_1, digits_recognition, "digits.csv"},
    {"conic-to-plane", "A conic becomes a plane", part_2, conic_to_plane},
    {"monomials", "Monomials, their number D, and the kernel trick", part_2, monomials},
    {"gram", "XXᵀ and XᵀX", part_3, gram_matrices, "digits.csv"},
    {"circle-to-line", "A circle becomes a line", part_3, circle_to_line},
    {"polynomial-kernel", "The kernel (1 + x·y)² and 9, 16, 16, 36", part_3, polynomial_kernel},
    {"mercer-condition", "Mercer's condition, with a witness", part_3, mercer_condition},
    {"modes", "Modes, time constants and the Lyapunov function", stability, modes},
    {"six-conditions", "The six conditions of the stability theorem", stability, six_conditions},
};

}  // namespace

std::span<const Lecture> lectures() { return lecture_table; }

}  // namespace mercer::cli
