# fish completion for mercer

function __mercer_none
    not __fish_seen_subcommand_from fit transform inverse denoise compress decompress inspect merge contour probe learn kernel completion
end
function __mercer_in
    __fish_seen_subcommand_from $argv
end

complete -c mercer -n __mercer_none -f -a fit -d 'Find the principal components of rows'
complete -c mercer -n __mercer_none -f -a transform -d 'Scores of new rows'
complete -c mercer -n __mercer_none -f -a inverse -d 'From scores back to the columns'
complete -c mercer -n __mercer_none -f -a denoise -d 'What the components keep of rows'
complete -c mercer -n __mercer_none -f -a compress -d 'Rows as scores, a smaller file'
complete -c mercer -n __mercer_none -f -a decompress -d 'Rows again, from what compress wrote'
complete -c mercer -n __mercer_none -f -a inspect -d 'What a model consists of'
complete -c mercer -n __mercer_none -f -a merge -d 'Make one model of several'
complete -c mercer -n __mercer_none -f -a contour -d 'Contour lines of components as SVG'
complete -c mercer -n __mercer_none -f -a probe -d 'Variance along directions'
complete -c mercer -n __mercer_none -f -a learn -d 'Learn components from a stream'
complete -c mercer -n __mercer_none -f -a kernel -d 'The list of kernels, checks, matrices'
complete -c mercer -n __mercer_none -f -a completion -d 'Print the completion script for a shell'
complete -c mercer -n __mercer_none -l version -d 'Show the version'
complete -c mercer -s h -l help -d 'Show help'
complete -c mercer -n '__mercer_in kernel; and not __mercer_in list check matrix' -f -a 'list check matrix'
complete -c mercer -n '__mercer_in completion' -f -a 'bash zsh fish'

# Results
complete -c mercer -n '__mercer_in fit transform inverse denoise compress decompress merge contour learn matrix' -s o -l output -r -d 'Where the result goes'
complete -c mercer -n '__mercer_in fit' -l scores -r -d 'Save the scores of the rows'
complete -c mercer -n '__mercer_in fit' -l keep-rows -x -d 'Rows to keep for pre-images'
complete -c mercer -n '__mercer_in compress' -l scores -x -a 'float32 float16 int8' -d 'How scores are stored'
complete -c mercer -n '__mercer_in inverse denoise compress' -l method -x -a 'auto exact ridge fixed-point distances' -d 'How pre-images are found'
complete -c mercer -n '__mercer_in inverse denoise compress' -l alpha -x -d 'Regularisation of the ridge'
complete -c mercer -n '__mercer_in inverse denoise compress' -l penalty -x -d 'How strongly the fixed point is held'
complete -c mercer -n '__mercer_in denoise' -l start -x -a 'ridge row' -d 'Where the fixed point begins'
complete -c mercer -n '__mercer_in inverse denoise' -l distances -r -d 'How good each row is'
complete -c mercer -n '__mercer_in fit merge' -s k -l components -x -a 'all 2 10 0.9 0.95' -d 'Count, fraction of the variance, or all'
complete -c mercer -n '__mercer_in fit learn' -l kernel -x -a 'rbf poly linear laplacian cosine' -d 'Kernel PCA with this kernel'
complete -c mercer -n '__mercer_in fit learn' -l map -x -a 'monomials(degree=2) polynomial(degree=2) plain(degree=2) squares' -d 'PCA of explicit features'
complete -c mercer -n '__mercer_in fit' -l precomputed -d 'The rows are a kernel matrix'
complete -c mercer -n '__mercer_in fit' -l clip -d 'Take a kernel that is not valid'
complete -c mercer -n '__mercer_in fit' -l approx -x -a "none 'cholesky(rank=500)' 'nystrom(landmarks=1000)' 'fourier(features=2000)' 'tensorsketch(features=2048)'" -d 'Approximate kernel PCA'
complete -c mercer -n '__mercer_in fit' -l time -x -a '10s 1min 10min' -d 'How long kernel PCA may take'
complete -c mercer -n '__mercer_in fit learn' -l no-plot -d 'No picture of the scores'
complete -c mercer -n '__mercer_in fit inspect merge probe learn check' -l json -d 'JSON instead of words'
complete -c mercer -n '__mercer_in contour' -s k -l components -x -d 'How many components, one panel each'
complete -c mercer -n '__mercer_in contour' -l data -r -d 'Rows to draw as dots'
complete -c mercer -n '__mercer_in contour' -l levels -x -d 'Lines a panel'
complete -c mercer -n '__mercer_in contour' -l size -x -d 'Width of a panel in pixels'
complete -c mercer -n '__mercer_in probe' -l direction -x -d 'One number a feature column'
complete -c mercer -n '__mercer_in check' -l sample -x -d 'Rows to check, evenly spaced'

# Learning
complete -c mercer -n '__mercer_in learn' -s k -l components -x -d 'How many'
complete -c mercer -n '__mercer_in learn' -l rule -x -a 'hebb hebb-normalized oja gha block-oja ccipca' -d 'Learning rule'
complete -c mercer -n '__mercer_in learn' -l rate -x -a 'auto 1/n constant(0.01) power(c=1,t0=100,a=0.75) adaoja' -d 'Learning rate'
complete -c mercer -n '__mercer_in learn' -l explain-rate -d 'Which conditions the rate meets'
complete -c mercer -n '__mercer_in learn' -l epochs -x -d 'Passes over the rows'
complete -c mercer -n '__mercer_in learn' -l order -x -a 'auto as-it-comes shuffled' -d 'Of the rows'
complete -c mercer -n '__mercer_in learn' -l until -x -a '0.1deg 0.5deg 1deg' -d 'Stop when nothing turns by more'
complete -c mercer -n '__mercer_in learn' -l batch -x -d 'Rows a step'
complete -c mercer -n '__mercer_in learn' -l mean -r -a 'running none' -d 'Taken off the rows'
complete -c mercer -n '__mercer_in learn' -l forget -x -d 'Share that fades with each row'
complete -c mercer -n '__mercer_in learn' -l limit -x -d 'Largest weight'
complete -c mercer -n '__mercer_in learn' -l landmarks -x -d 'Rows that span the space of the kernel'
complete -c mercer -n '__mercer_in learn' -l trace -r -d 'A row for every so many steps'
complete -c mercer -n '__mercer_in learn' -l trace-every -x -d 'Steps between rows of the trace'
complete -c mercer -n '__mercer_in learn' -l theory -d 'Exact components and the ODE beside the run'
complete -c mercer -n '__mercer_in learn' -l plot -r -d 'The run as a picture'
complete -c mercer -n '__mercer_in learn' -l checkpoint -r -d 'Where the run can go on from'
complete -c mercer -n '__mercer_in learn' -l checkpoint-every -x -d 'Steps between checkpoints'
complete -c mercer -n '__mercer_in learn' -l resume -d 'Go on from the checkpoint'
complete -c mercer -n '__mercer_in learn' -l model-every -x -d 'Save the model every N steps'

# Rows in
complete -c mercer -n '__mercer_in fit transform inverse denoise compress contour probe learn check matrix' -l columns -x -d 'Features, by name or number'
complete -c mercer -n '__mercer_in fit transform inverse denoise compress contour probe learn check matrix' -l exclude -x -d 'Columns to leave out'
complete -c mercer -n '__mercer_in fit transform inverse denoise compress contour probe learn check matrix' -l label -x -d 'Label column, carried along'
complete -c mercer -n '__mercer_in fit transform inverse denoise compress contour probe learn check matrix' -l id -x -d 'Id column, carried along'
complete -c mercer -n '__mercer_in fit probe' -l weights -x -d 'Row weights'
complete -c mercer -n '__mercer_in fit transform inverse denoise compress contour probe learn check matrix' -l missing -x -a 'error drop mean' -d 'Missing cells'
complete -c mercer -n '__mercer_in fit transform inverse denoise compress contour probe learn check matrix' -l header -x -a 'auto yes no' -d 'Is the first line a header?'
complete -c mercer -n '__mercer_in fit transform inverse denoise compress contour probe learn check matrix' -l delimiter -x -a 'comma tab semicolon pipe space' -d 'Between cells'
complete -c mercer -n '__mercer_in fit transform inverse denoise compress contour probe learn check matrix' -l format -x -a 'auto csv tsv npy mtx svm' -d 'Format of the rows'

# Variance
complete -c mercer -n '__mercer_in fit probe learn' -l scale -x -a 'none std' -d 'Divide columns by their deviation'
complete -c mercer -n '__mercer_in fit probe' -l no-center -d 'Leave the mean in'
complete -c mercer -n '__mercer_in fit probe' -l ddof -x -a '1 0' -d 'Variances over N-1 or N'

# Running
complete -c mercer -n '__mercer_in fit' -l solver -x -a 'auto covariance gram svd randomized dense krylov' -d 'How to find them'
complete -c mercer -n '__mercer_in fit' -l tolerance -x -d 'Largest relative residual'
complete -c mercer -n '__mercer_in fit probe learn' -l memory -x -a '256MiB 1GiB 4GiB' -d 'Budget; larger data is streamed'
complete -c mercer -n '__mercer_in fit transform inverse denoise compress decompress probe check matrix' -l precision -x -a 'double float' -d 'Of the arithmetic'
complete -c mercer -n '__mercer_in fit transform inverse denoise compress decompress merge contour probe learn check matrix' -l threads -x -d 'Threads'
complete -c mercer -n '__mercer_in fit transform inverse denoise compress decompress contour probe learn check matrix' -l seed -x -d 'Seed for random numbers'
complete -c mercer -n '__mercer_in fit transform inverse denoise compress decompress merge contour probe learn check matrix' -s q -l quiet -d 'No words, no progress bar'
