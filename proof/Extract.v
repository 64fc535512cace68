(** The models as OCaml, with integers as Coq has them: no other integer takes their place. *)
From Coq Require Import Extraction ExtrOcamlBasic.
From Mollify Require Import random.Code band.Code numerators.Code table.Code.
Extraction Language OCaml.
Extraction "models.ml" times_127 value_of uniform_below cut_exp exp_bound_of times_floor allows
  make make_uniform upper_of bounds_of lower_of are_fine round settle fit fit_reference run_at run draw_table.
