(** src/core/table.h: run_at finds the run that holds a position. *)
From Coq Require Import ZArith List Bool Lia.
From Mollify Require Import random.Code band.Code numerators.Code numerators.Settle
  numerators.Properties band.Machine table.Code table.Properties.
Open Scope Z_scope.

(** n_0 + ... + n_(i - 1) <= position < n_0 + ... + n_i, for i = run_at. *)
Theorem run_at_is_the_place b n position : is_valid b -> is_fitted b n ->
  0 <= position < b_total b ->
  run_at n position = place (of_outcomes n) position.
Proof.
  intros Hv Hf Hp. pose proof (fitted_runs b n Hv Hf) as R. destruct Hf as (_ & Hs & Hb).
  apply run_at_exact; [exact R | exact Hb | lia].
Qed.
