// From private answers to a model of a table: what is asked, and what is made of it.
#pragma once

#include "marginals/marginal_design.h"
#include "marginals/marginal_model.h"
#include "marginals/private_marginals.h"

namespace mollify {

/// Learns a model: select, measure, generate [McKenna et al. 2021, MST; 2022, AIM].
///
/// 1. Every column is measured. Cells whose noisy counts do not stand out from the noise are put
///    together (merge_rare).
/// 2. A tree of pairs: edge after edge joins two parts of the table, chosen by how far the pair is
///    from independent columns; then all are measured, with more of the budget for tables of more
///    cells.
/// 3. Rounds: the model is fitted, one more pair, or a column once more, is chosen by how far the
///    table is from the model, and measured, while the model's junction tree stays below a public
///    size. Where a measurement changed no more than its noise would, the next ones spend double.
///
/// Of a copula, instead of 2 and 3, the products of all pairs' rank scores are measured, and the
/// model is columns joined by a Gaussian copula that gives these products.
///
/// A pair may be chosen as it is, or with its columns cut into few groups of about equal counts:
/// what its noise would be counts against it, so that fine tables are taken where the data are many
/// for the budget and coarse ones where they are few.
///
/// Sees the data through `answers` alone, so nothing in here can cost privacy; neither the time
/// that it takes nor its result depends on anything else. Spends the budget whole, but for what no
/// pair can be measured with.
///
/// `reference`: counts of public records in the design's cells, or none. Then the model is shrunk
/// towards that of the public records (public_model.h) instead of uniform columns, by as many
/// records as they are worth (PublicWorth), and the tree's pairs are chosen by how far the table is
/// from that.
[[nodiscard]] MarginalModel learn_marginals(const MarginalDesign& design, MarginalAnswers& answers,
                                            const PairCounts* reference = nullptr);

/// The design for columns whose private bins have been found: of so many cells, as they are.
[[nodiscard]] MarginalDesign with_bins(MarginalDesign design, const std::vector<CellGroups>& bins);

/// The model over the bins' cells that one over bins is: inside a bin their shares are those of
/// public records, `reference` of each cell of each column, and one more that is spread evenly.
[[nodiscard]] MarginalModel without_bins(const MarginalModel& model,
                                         const std::vector<CellGroups>& bins,
                                         const std::vector<std::vector<double>>& reference);

}  // namespace mollify
