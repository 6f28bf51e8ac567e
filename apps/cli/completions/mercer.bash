# bash completion for mercer

_mercer() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local commands="fit tune transform inverse denoise compress decompress inspect score merge contour plot probe learn kernel completion"
  local rows="--columns --exclude --label --id --onehot --missing --header --delimiter --format"
  local variance="--scale --no-center --ddof --memory"
  local run="--precision --threads --seed --quiet --help"
  local options="" command="" word

  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in
      list|check|matrix) [[ $command == kernel ]] && command="kernel $word" && break ;;
      fit|tune|transform|inverse|denoise|compress|decompress|inspect|score|merge|contour|plot|probe|learn|completion) command=$word; break ;;
      kernel) command=$word ;;
    esac
  done

  # Values of the option before the cursor.
  case $previous in
    --solver) COMPREPLY=($(compgen -W "auto covariance gram svd randomized dense krylov" -- "$current")); return ;;
    --start) COMPREPLY=($(compgen -W "ridge row" -- "$current")); return ;;
    --method) COMPREPLY=($(compgen -W "auto exact ridge fixed-point distances" -- "$current")); return ;;
    --scores) [[ $command == compress ]] && COMPREPLY=($(compgen -W "float32 float16 int8" -- "$current")) && return ;;
    --scale) COMPREPLY=($(compgen -W "none std" -- "$current")); return ;;
    --precision) COMPREPLY=($(compgen -W "double float" -- "$current")); return ;;
    --missing) COMPREPLY=($(compgen -W "error drop mean em" -- "$current")); return ;;
    --header) COMPREPLY=($(compgen -W "auto yes no" -- "$current")); return ;;
    --format) COMPREPLY=($(compgen -W "auto csv tsv npy mtx svm" -- "$current")); return ;;
    --delimiter) COMPREPLY=($(compgen -W "comma tab semicolon pipe space" -- "$current")); return ;;
    --kernel) COMPREPLY=($(compgen -W "rbf poly linear laplacian cosine" -- "$current")); return ;;
    --map) COMPREPLY=($(compgen -W "monomials(degree=2) polynomial(degree=2) plain(degree=2) squares" -- "$current")); return ;;
    --approx) COMPREPLY=($(compgen -W "none cholesky(rank=500) cholesky(tolerance=0.01) nystrom(landmarks=1000) fourier(features=2000) tensorsketch(features=2048)" -- "$current")); return ;;
    --time) COMPREPLY=($(compgen -W "10s 1min 10min" -- "$current")); return ;;
    --ddof) COMPREPLY=($(compgen -W "1 0" -- "$current")); return ;;
    -k|--components) COMPREPLY=($(compgen -W "all auto gavish-donoho minka 2 10 0.9 0.95" -- "$current")); return ;;
    --flag) COMPREPLY=($(compgen -W "0.95 0.99 0.999" -- "$current")); return ;;
    --kind) COMPREPLY=($(compgen -W "scree scores biplot loadings contour circle t2spe trace" -- "$current")); return ;;
    --memory) COMPREPLY=($(compgen -W "256MiB 1GiB 4GiB" -- "$current")); return ;;
    --rule) COMPREPLY=($(compgen -W "hebb hebb-normalized oja gha block-oja ccipca" -- "$current")); return ;;
    --rate) COMPREPLY=($(compgen -W "auto 1/n constant(0.01) power(c=1,t0=100,a=0.75) adaoja" -- "$current")); return ;;
    --order) COMPREPLY=($(compgen -W "auto as-it-comes shuffled" -- "$current")); return ;;
    --until) COMPREPLY=($(compgen -W "0.1deg 0.5deg 1deg" -- "$current")); return ;;
    --epochs|--batch|--forget|--limit|--landmarks|--trace-every|--checkpoint-every|--model-every|--keep-rows|--alpha|--penalty) return ;;
    --columns|--exclude|--label|--id|--onehot|--folds|--rows|--noise|--weights|--tolerance|--threads|--seed|--direction|--sample|--levels|--size|--component|--title|--width|--height) return ;;
  esac

  case $command in
    "") COMPREPLY=($(compgen -W "$commands --help --version" -- "$current")); return ;;
    fit) options="-o --output --scores --imputed -k --components --keep-rows --json --no-plot --kernel --map --precomputed --clip --approx --time $rows --weights $variance --solver --tolerance $run" ;;
    tune) options="-o --output --kernel --criterion -k --components --folds --rows --noise --method --table --plot --checkpoint --json $rows --weights $variance $run" ;;
    transform) options="-o --output --memory $rows $run" ;;
    inverse) options="-o --output --method --alpha --penalty --distances --memory $rows $run" ;;
    denoise) options="-o --output --method --start --alpha --penalty --distances --memory $rows $run" ;;
    compress) options="-o --output --scores --method --alpha --penalty --memory $rows $run" ;;
    decompress) options="-o --output --memory $run" ;;
    inspect) options="--loadings --gradient --component -o --output --json --help" ;;
    score) options="-o --output --flag --reference --contributions --json --memory $rows --weights $run" ;;
    merge) options="-o --output -k --components --json --memory --threads --quiet --help" ;;
    contour) options="-o --output --data -k --components --levels --size $rows --threads --seed --quiet --help" ;;
    plot) options="--kind -o --output --components --ellipses --flag --reference --levels --title --width --height --memory $rows --threads --seed --quiet --help" ;;
    probe) options="--direction --json $rows --weights $variance $run" ;;
    learn) options="-o --output -k --components --rule --rate --explain-rate --epochs --order --until --batch --mean --forget --limit --scale --kernel --landmarks --map --trace --trace-every --theory --plot --checkpoint --checkpoint-every --resume --model-every --json --no-plot --memory $rows --weights --threads --seed --quiet --help" ;;
    kernel) COMPREPLY=($(compgen -W "list check matrix --help" -- "$current")); return ;;
    "kernel list") options="--help" ;;
    "kernel check") options="--sample --json --memory $rows --threads --seed --quiet --help" ;;
    "kernel matrix") options="-o --output --memory $rows $run" ;;
    completion) COMPREPLY=($(compgen -W "bash zsh fish --help" -- "$current")); return ;;
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  else
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}

complete -F _mercer mercer
