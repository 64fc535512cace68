(** src/kernel/order.h and order.cpp: shuffles, and records that are taken one by one. *)
From Coq Require Import ZArith List Bool.
From Mollify Require Import random.Code channels.Code.
Import ListNotations.
Open Scope Z_scope.

(** *** A uniformly random order. *)

Definition swapped (values : list Z) (i j : nat) : list Z :=
  set (set values i (nth j values 0)) j (nth i values 0).

(** detail::shuffle_with *)
Fixpoint shuffle_from (rest : nat) (values : list Z) : draw (list Z) :=
  match rest with
  | S (S _ as less) =>
      Below (Z.of_nat rest) (fun chosen =>
      shuffle_from less (swapped values less (Z.to_nat chosen)))
  | _ => Return values
  end.
Definition shuffle (values : list Z) : draw (list Z) := shuffle_from (length values) values.

(** *** Records that are taken one by one, without replacement. *)

(** The one at a position, and those that are left, in order: what RecordsLeft means. *)
Fixpoint taken {A} (none : A) (records : list A) (position : nat) : A * list A :=
  match records, position with
  | [], _ => (none, [])
  | x :: records, O => (x, records)
  | x :: records, S position =>
      let '(y, others) := taken none records position in (y, x :: others)
  end.

(** RecordsLeft: Fenwick's tree. That at i is of the i & -i values up to i - 1. *)
Record records_left : Type := { l_sums : list Z; l_step : Z; l_size : Z }.

Definition low_bit (i : Z) : Z := Z.land i (sub64 0 i).

Fixpoint built (fuel : nat) (i : nat) (counts sums : list Z) : list Z :=
  match fuel, counts with
  | S fuel, count :: counts =>
      let here := add64 (nth i sums 0) count in
      let sums := set sums i here in
      let next := Z.to_nat (Z.of_nat i + low_bit (Z.of_nat i)) in
      let sums :=
        if (next <? length sums)%nat then set sums next (add64 (nth next sums 0) here) else sums in
      built fuel (S i) counts sums
  | _, _ => sums
  end.

(** std::bit_floor *)
Definition bit_floor (n : Z) : Z := if n =? 0 then 0 else 2 ^ Z.log2 n.

Definition make_records_left (counts : list Z) : records_left :=
  {| l_sums := built (length counts) 1 counts (repeat 0 (S (length counts)));
     l_step := bit_floor (Z.of_nat (length counts));
     l_size := fold_left add64 counts 0 |}.

(** RecordsLeft::take_at *)
Fixpoint descended (fuel : nat) (step : Z) (before : nat) (sums : list Z) (position : Z)
    : nat * list Z :=
  match fuel with
  | O => (before, sums)
  | S fuel =>
      if 0 <? step then
        let at_ := (before + Z.to_nat step)%nat in
        if (at_ <? length sums)%nat then
          if nth at_ sums 0 <=? position
          then descended fuel (step / 2) at_ sums (sub64 position (nth at_ sums 0))
          else descended fuel (step / 2) before (set sums at_ (sub64 (nth at_ sums 0) 1)) position
        else descended fuel (step / 2) before sums position
      else (before, sums)
  end.
Definition take_at (r : records_left) (position : Z) : nat * records_left :=
  let '(value, sums) := descended 65 (l_step r) 0 (l_sums r) position in
  (value, {| l_sums := sums; l_step := l_step r; l_size := sub64 (l_size r) 1 |}).

(** SubsetSampler::draw_of of src/methods/central/samplers.cpp: each of m records that are taken one
    by one, through randomized response. *)
Fixpoint draw_chosen (r : response) (m : nat) (records : list Z) : draw (list Z) :=
  match m with
  | O => Return []
  | S m =>
      Below (Z.of_nat (length records)) (fun position =>
      let '(value, others) := taken 0 records (Z.to_nat position) in
      bind (draw_response r value) (fun report =>
      bind (draw_chosen r m others) (fun reports => Return (report :: reports))))
  end.
