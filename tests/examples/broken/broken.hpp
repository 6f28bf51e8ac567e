#pragma once
/// \file
/// Two examples that do not compile, between text that is none.
///
///     norm     ‖w‖
///     angle    between w and v, degrees
///
///     auto model = mercer::fit(x, {.components = 2});
///     mistyped.save("model.st");
///   - an item of a list, whose second line is indented as code is and ends in a semicolon;
///     like this;
///
///     std::size_t bytes = 4 << 30;
