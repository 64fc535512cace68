(** The models as OCaml, with integers as Coq has them: no other integer takes their place. *)
From Coq Require Import Extraction ExtrOcamlBasic.
From Mollify Require Import random.Code band.Code numerators.Code table.Code
  channels.Code order.Code sparse.Code.
Extraction Language OCaml.
Extraction "models.ml" times_127 value_of uniform_below uniform_below_again cut_exp exp_bound_of times_floor allows
  make make_uniform upper_of bounds_of lower_of are_fine round settle fit fit_reference run_at run draw_table
  make_response response_total response_satisfies outcome_at draw_response entry_of make_matrix draw_matrix
  reference_sums mixture_column mixture_satisfies pure_mixture draw_mixture make_alias alias_at draw_alias
  shuffle taken make_records_left take_at draw_chosen
  take sparse_bounds locate_unscored draw_sparse.
