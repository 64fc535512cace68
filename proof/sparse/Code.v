(** src/core/table.h, table.cpp and band.cpp: a table in which all outcomes without a score are one. *)
From Coq Require Import ZArith List Bool.
From Mollify Require Import random.Code band.Code numerators.Code table.Code channels.Code.
Import ListNotations.
Open Scope Z_scope.

(** Band::lower_before: of the outcomes before i. *)
Definition lower_before (b : band) (i : nat) : Z :=
  if is_uniform b then mul64 (hd 0 (lowers b)) (Z.of_nat i)
  else fold_left add64 (firstn (i mod kRun) (skipn (i - i mod kRun) (lowers b)))
                 (nth (i / kRun) (prefix b) 0).

(** Band::outcome_at *)
Definition band_outcome_at (b : band) (position : Z) : nat :=
  if is_uniform b then Z.to_nat (position / hd 0 (lowers b))
  else
    let run := (upper_bound (prefix b) position - 1)%nat in
    let first := (run * kRun)%nat in
    (first + one_by_one (skipn first (lowers b)) (sub64 position (nth run (prefix b) 0%Z)))%nat.

(** SparseTable::Law, as `take` makes it: the outcomes that are in range and above the last one, with
    the sums of the scored lower bounds before each. *)
Fixpoint taken_outcomes (b : band) (size : Z) (least before : Z) (outcomes : list Z)
    : list Z * list Z * list Z * Z :=
  match outcomes with
  | [] => ([], [], [], before)
  | outcome :: outcomes =>
      if (outcome <? least) || (size <=? outcome) then taken_outcomes b size least before outcomes
      else
        let lower := nth (Z.to_nat outcome) (lowers b) 0 in
        let '(taken, scored, befores, all) :=
          taken_outcomes b size (outcome + 1) (add64 before lower) outcomes in
        (outcome :: taken, lower :: scored, before :: befores, all)
  end.

Record sparse : Type := {
  s_outcomes : list Z;
  s_lowers : list Z;   (* of the scored outcomes, then C *)
  s_before : list Z    (* sums of the scored lower bounds before each, then of all *)
}.

Definition take (b : band) (outcomes : list Z) : sparse :=
  let '(taken, scored, befores, all) :=
    taken_outcomes b (Z.of_nat (length (lowers b))) 0 0 outcomes in
  {| s_outcomes := taken;
     s_lowers := scored ++ [sub64 (lower_before b (length (lowers b))) all];
     s_before := befores ++ [all] |}.

(** The bounds of its pass. *)
Definition sparse_bounds (b : band) (s : sparse) : bounds :=
  {| b_total := total b; b_bound := bound b; b_uniform := false; b_lowers := s_lowers s |}.

(** The scored outcomes that come before an unscored position: std::partition_point, of which the
    outcomes that satisfy the condition come first. *)
Fixpoint stepped_over (b : band) (outcomes befores : list Z) (position : Z) : nat :=
  match outcomes, befores with
  | outcome :: outcomes, before :: befores =>
      if sub64 (lower_before b (Z.to_nat outcome)) before <=? position
      then S (stepped_over b outcomes befores position) else O
  | _, _ => O
  end.

(** SparseTable::locate_unscored *)
Definition locate_unscored (b : band) (s : sparse) (position : Z) : nat :=
  let after := stepped_over b (s_outcomes s) (s_before s) position in
  band_outcome_at b (add64 position (nth after (s_before s) 0)).

(** SparseTable::draw *)
Definition draw_sparse (b : band) (s : sparse) (n : numerators) : draw nat :=
  Below (total b) (fun position =>
  let slot := run_at n position in
  if (slot <? length (s_outcomes s))%nat then Return (Z.to_nat (nth slot (s_outcomes s) 0))
  else Below (last (s_lowers s) 0) (fun position => Return (locate_unscored b s position))).
