# How many released rows break each rule that `mollify domain --rules-of` wrote for R's package validate. NOT PRIVATE.
#
# Usage: Rscript rules_in_r.R RULES.yaml ROWS.csv [COLUMN,...]
#
# The columns have numbers; all others are words. It needs R and its package yaml, and does without validate: an expression is R's own,
# and `if (a) b` is "not a, or b" for each row, as validate has it. An empty cell is unknown, and so may be what a rule says of it.

library(yaml)

given <- commandArgs(trailingOnly = TRUE)
rules <- yaml.load_file(given[1])$rules
rows <- read.csv(given[2], colClasses = "character", check.names = FALSE, na.strings = "")
for (name in strsplit(c(given, "")[3], ",")[[1]]) rows[[name]] <- as.numeric(rows[[name]])

of_rows <- c(as.list(rows), list("if" = function(one, other) !one | other))
total <- 0
cat("| rule | broken | unknown |\n|---|---|---|\n")
for (rule in rules) {
  kept <- eval(parse(text = rule$expr)[[1]], of_rows)
  broken <- sum(!kept, na.rm = TRUE)
  total <- total + broken
  cat("|", gsub("|", "\\|", rule$expr, fixed = TRUE), "|", broken, "|", sum(is.na(kept)), "|\n")
}
cat("\n", nrow(rows), " rows, ", length(rules), " rules: broken ", total, " times\n", sep = "")
