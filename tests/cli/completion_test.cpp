// The completion scripts in their shells: each loads without a message and completes.

#include "cli/support.hpp"

namespace mercer::test::completion_test {

class CliCompletion : public testing::Test {
 protected:
  CliCompletion() {
    dir.file("mercer.bash", mercer({"completion", "bash"}).out);
    dir.file("_mercer", mercer({"completion", "zsh"}).out);
    dir.file("mercer.fish", mercer({"completion", "fish"}).out);
  }
  /// What zsh makes of a typed line: keys as they come, "\t" for Tab. `mercer` prints its words.
  std::string typed_in_zsh(const std::string& keys) const {
    const std::string script =
        "zmodload zsh/zpty\n"
        "zpty shell zsh -f -i\n"
        "zpty -w shell 'PS1= PS2= TERM=dumb; unsetopt zle_bracketed_paste; fpath=(" +
        (dir.path()) +
        " $fpath); autoload -U compinit; compinit -u -D; mercer() { print \"WORDS:$*:\" }; "
        "print READ\"Y\"'\n"
        "zpty -r shell line '*READY*'\n"
        "zpty -w shell $'" +
        keys +
        "'\n"
        "zpty -r shell line '*WORDS:*:*'\n"
        "print -r -- \"${${line##*WORDS:}%%:*}\"\n";
    const auto run = mercer::test::run({"timeout", "100", "zsh", "-f", "-c", script});
    EXPECT_EQ(run.exit_code, 0) << run.out;
    EXPECT_EQ(run.err, "");
    return run.out;
  }
  std::string in_fish(const std::string& line) const {
    const auto run =
        mercer::test::run({"fish", "--no-config", "-c",
                           "source '" + (dir / "mercer.fish") + "'; complete -C '" + line + "'"},
                          {});
    EXPECT_EQ(run.err, "");
    return run.out;
  }
  TempDir dir;
};

TEST_F(CliCompletion, loads_in_bash_without_a_message) {
  const auto run = mercer::test::run(
      {"bash", "--norc", "-uec", "source '" + (dir / "mercer.bash") + "'; complete -p mercer"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(run.out, "complete -o default -F _mercer mercer\n");
}

TEST_F(CliCompletion, loads_in_zsh_without_a_message) {
  for (const std::string how :
       {"source '" + (dir / "_mercer") + "'", std::string("autoload -U +X _mercer")}) {
    const auto run = mercer::test::run({"zsh", "-f", "-c",
                                        "fpath=(" + (dir.path()) +
                                            " $fpath); autoload -U compinit; compinit -u -D; " +
                                            how + "; print $_comps[mercer]"});
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.out, "_mercer\n");
  }
}

TEST_F(CliCompletion, loads_in_fish_without_a_message) {
  const auto run =
      mercer::test::run({"fish", "--no-config", "-c", "source '" + (dir / "mercer.fish") + "'"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(run.out, "");
}

TEST_F(CliCompletion, bash_completes_values_after_an_equals_sign_and_files_elsewhere) {
  const auto completed = [&](const std::string& words, int at) {
    const auto run = mercer::test::run({"bash", "--norc", "-c",
                                        "source '" + (dir / "mercer.bash") + "'; COMP_WORDS=(" +
                                            words + "); COMP_CWORD=" + std::to_string(at) +
                                            "; _mercer; printf '%s,' \"${COMPREPLY[@]}\""});
    EXPECT_EQ(run.err, "");
    return run.out;
  };
  EXPECT_EQ(completed("mercer fit --sol", 2), "--solver,");
  EXPECT_EQ(completed("mercer fit --solver r", 3), "randomized,");
  EXPECT_EQ(completed("mercer fit --solver = r", 4), "randomized,");
  EXPECT_EQ(completed("mercer fit --solver =", 3),
            "auto,covariance,gram,svd,randomized,dense,krylov,");
  EXPECT_EQ(completed("mercer fit --approx chol", 3), "cholesky\\(rank=500\\),");
  EXPECT_EQ(completed("mercer kernel check --sam", 3), "--sample,");
  EXPECT_EQ(completed("mercer fit -", 2).substr(0, 3), "-o,");
  EXPECT_EQ(completed("mercer fit --scores x", 3), ",");  // nothing: bash offers files
  EXPECT_EQ(completed("mercer fit x", 2), ",");
}

TEST_F(CliCompletion, zsh_completes_commands_options_and_values) {
  EXPECT_EQ(typed_in_zsh("mercer transf\\tm.st"), "transform m.st\n");
  EXPECT_EQ(typed_in_zsh("mercer fit --sol\\tr\\tx.csv"), "fit --solver randomized x.csv\n");
  EXPECT_EQ(typed_in_zsh("mercer kernel ch\\t--sam\\t5"), "kernel check --sample 5\n");
}

TEST_F(CliCompletion, fish_completes_commands_options_and_values) {
  EXPECT_EQ(in_fish("mercer transf"), "transform\tCompute the scores of new rows\n");
  EXPECT_THAT(in_fish("mercer fit --sol"), testing::StartsWith("--solver\t"));
  EXPECT_THAT(in_fish("mercer fit --solver r"), testing::StartsWith("randomized\t"));
  EXPECT_THAT(in_fish("mercer kernel check --sam"), testing::StartsWith("--sample\t"));
  EXPECT_THAT(in_fish("mercer completion z"), testing::StartsWith("zsh\t"));
}

}  // namespace mercer::test::completion_test
