# peers.R FILE GAMMA K EPOCHS: kernlab's kha, whose maxiter counts passes over all rows; prints one
# line of JSON. FILE is a CSV.
suppressMessages(library(kernlab))
words <- commandArgs(trailingOnly = TRUE)
x <- as.matrix(read.csv(words[1]))
gamma <- as.numeric(words[2]); k <- as.integer(words[3]); epochs <- as.integer(words[4])
set.seed(1)
start <- proc.time()[["elapsed"]]
model <- kha(x, kernel = "rbfdot", kpar = list(sigma = gamma), features = k, maxiter = epochs, th = 0)
seconds <- proc.time()[["elapsed"]] - start
# The angle to the exact directions, in feature space.
gram <- kernelMatrix(rbfdot(sigma = gamma), x)
n <- nrow(x)
centre <- diag(n) - 1 / n
tilde <- centre %*% gram %*% centre
exact <- eigen(tilde, symmetric = TRUE)$vectors[, 1:k, drop = FALSE]
a <- pcv(model)
worst <- 0
for (j in 1:k) {
  u <- a[, j]; v <- exact[, j]
  cosine <- abs(sum(u * (tilde %*% v))) / sqrt(sum(u * (tilde %*% u)) * sum(v * (tilde %*% v)))
  worst <- max(worst, acos(min(1, cosine)) * 180 / pi)
}
cat(sprintf('{"seconds": %g, "degrees": %g}\n', seconds, worst))
