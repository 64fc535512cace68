(** src/core/table.h and table.cpp: the place of a position, dense and sparse. *)
From Coq Require Import ZArith List Bool.
From Mollify Require Import random.Code band.Code numerators.Code.
Import ListNotations.
Open Scope Z_scope.

(** run_at: blocks, then groups of eight, then one by one. *)
Fixpoint skip_blocks (blocks : list Z) (position : Z) : nat * Z :=
  match blocks with
  | [] => (O, position)
  | block :: rest =>
      match rest with
      | [] => (O, position)
      | _ :: _ =>
          if block <=? position then
            let '(skipped, position) := skip_blocks rest (sub64 position block) in
            (S skipped, position)
          else (O, position)
      end
  end.

(** Of the first seven of eight runs, those that end at or before the position. *)
Fixpoint ended (runs : list Z) (run_end position : Z) : nat :=
  match runs with
  | [] => O
  | n :: rest =>
      match rest with
      | [] => O
      | _ :: _ =>
          let run_end := add64 run_end n in
          ((if (run_end <=? position)%Z then 1 else 0) + ended rest run_end position)%nat
      end
  end.

(** The first run that ends after the position; all of them, if none does. *)
Fixpoint one_by_one (l : list Z) (position : Z) : nat :=
  match l with
  | [] => O
  | n :: rest => if n <=? position then S (one_by_one rest (sub64 position n)) else O
  end.

Fixpoint in_groups (fuel : nat) (l : list Z) (position : Z) : nat :=
  match fuel, l with
  | S fuel, [] => O
  | S fuel, _ =>
      if (8 <=? length l)%nat then
        let sum := fold_left add64 (firstn 8 l) 0 in
        if position <? sum then ended (firstn 8 l) 0 position
        else (8 + in_groups fuel (skipn 8 l) (sub64 position sum))%nat
      else one_by_one l position
  | O, _ => O
  end.

Definition run_at (n : numerators) (position : Z) : nat :=
  let '(block, position) := skip_blocks (of_blocks n) position in
  let before := (block * kBlock)%nat in
  Nat.min
    (before + in_groups (length (of_outcomes n)) (skipn before (of_outcomes n)) position)
    (length (of_outcomes n) - 1).

(** Table::draw *)
Definition draw_table (total : Z) (n : numerators) : draw nat :=
  Below total (fun position => Return (run_at n position)).
