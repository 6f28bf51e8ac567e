#pragma once
// One function per worked example; table.cpp has their names and titles.

namespace mercer::cli {

class Stage;

// principal_components.cpp
void variance_probe(Stage& stage);
void two_clouds(Stage& stage);
void encode_decode(Stage& stage);
void compression(Stage& stage);

// hebbian_learning.cpp
void hebb_growth(Stage& stage);
void oja_normalized(Stage& stage);
void gha(Stage& stage);

// kernel_pca.cpp
void rings_step_by_step(Stage& stage);
void digits_recognition(Stage& stage);

// embeddings.cpp
void conic_to_plane(Stage& stage);
void monomials(Stage& stage);

// kernels.cpp
void gram_matrices(Stage& stage);
void circle_to_line(Stage& stage);
void polynomial_kernel(Stage& stage);
void mercer_condition(Stage& stage);

// stability.cpp
void modes(Stage& stage);
void six_conditions(Stage& stage);

}  // namespace mercer::cli
