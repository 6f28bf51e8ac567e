// What the examples in public headers take for granted. Declared only: examples are not linked.
#include <mercer/eigs_memory.hpp>
#include <mercer/datasets.hpp>
#include <mercer/figures.hpp>
#include <mercer/mercer.hpp>
#include <mercer/plan_text.hpp>

#include <Eigen/Sparse>

#include <cmath>
#include <fstream>
#include <iostream>
#include <memory>
#include <string_view>

extern mercer::Matrix<double> x, noisy, scores, anchors, landmarks;
extern mercer::Rows<double> rows;
extern std::unique_ptr<mercer::Source<double>> source;
extern mercer::Model<double> model;
extern mercer::Team& team;

template <class... T>
void use(const T&...);
mercer::Matrix<double> scores_of(const mercer::Block<double>&);

extern bool stop_button_pressed;
void draw_bar(std::string_view what, double share);
