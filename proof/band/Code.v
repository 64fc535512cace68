(** src/core/band.h and band.cpp: a rational below e^epsilon, and public bounds. *)
From Coq Require Import ZArith List Bool.
From Mollify Require Import random.Code.
Import ListNotations.
Open Scope Z_scope.

(** cut_exp of the double mantissa * 2^(exponent - 53), as frexp gives it. *)
Fixpoint series (fuel : nat) (y sum term j : Z) : Z :=
  match fuel with
  | O => sum
  | S fuel =>
      if term =? 0 then sum
      else series fuel y (add128 sum term) (times_127 term y / j) (j + 1)
  end.

Definition square (power : Z * Z) : Z * Z :=
  let '(digits, scale) := power in
  let digits := times_127 digits digits in
  let scale := 2 * scale - 127 in
  if Z.shiftr digits 126 =? 0 then (shl128 digits 1, scale + 1) else (digits, scale).

(** More terms than there are before they vanish. *)
Definition kTerms : nat := 130.

Definition cut_exp (mantissa exponent : Z) : Z * Z :=
  let y := shl128 mantissa (127 - 53 - 6 + exponent) in
  let sum := series kTerms y 0 (2 ^ 127) 1 in
  square (square (square (square (square (square (Z.shiftr sum 1, 126)))))).

(** ExpBound: Ebar = mantissa / 2^shift. *)
Record exp_bound : Type := { mantissa : Z; shift : Z }.

Definition exp_bound_of (double_mantissa double_exponent : Z) : exp_bound :=
  let '(digits, scale) := cut_exp double_mantissa double_exponent in
  let lowered := sub128 (sub128 digits (Z.shiftr digits 40)) 1 in
  let cut := if Z.shiftr lowered 126 =? 0 then 126 - 53 else 127 - 53 in
  {| mantissa := w64 (Z.shiftr lowered cut); shift := scale - cut |}.

Definition times_floor (bound : exp_bound) (x cap : Z) : Z :=
  let product := Z.shiftr (mul128 x (mantissa bound)) (shift bound) in
  if product <? cap then w64 product else cap.

Definition allows (bound : exp_bound) (larger smaller : Z) : bool :=
  let low := mul128 (w64 smaller) (mantissa bound) in
  let high := add128 (mul128 (Z.shiftr smaller 64) (mantissa bound)) (Z.shiftr low 64) in
  let most := Z.lor (shl128 high (64 - shift bound)) (Z.shiftr (w64 low) (shift bound)) in
  (larger <=? most) || negb (Z.shiftr high (64 + shift bound) =? 0).

(** sum_of: exact, from sums modulo 2^64 of the numbers and of their high halves. *)
Definition sum_of (numbers : list Z) : Z :=
  let sum := fold_left add64 numbers 0 in
  let high := fold_left add64 (map (fun n => Z.shiftr n 32) numbers) 0 in
  add128 (shl128 high 32) (sub64 sum (shl64 high 32)).

(** Band. A uniform one has `count` times the same lower bound. *)
Record band : Type := {
  bound : exp_bound;
  total : Z;
  is_uniform : bool;
  lowers : list Z;
  prefix : list Z
}.

Definition kMostOutcomes : Z := 2 ^ 24.
Definition kGreatestTotal : Z := 2 ^ 62.
Definition kRun : nat := 64.

Definition is_shape (count total : Z) : bool :=
  (1 <=? count) && (count <=? kMostOutcomes) && (1 <=? total) && (total <=? kGreatestTotal).

Definition has_room (lower_sum upper_sum total : Z) : bool :=
  (lower_sum <=? total) && (total <=? upper_sum).

Definition make_uniform (count : nat) (lower : Z) (bound : exp_bound) (total : Z) : option band :=
  let k := Z.of_nat count in
  let upper := times_floor bound lower total in
  if is_shape k total && has_room (mul128 lower k) (mul128 upper k) total
  then Some {| bound := bound; total := total; is_uniform := true; lowers := repeat lower count;
               prefix := [] |}
  else None.

(** Sums before each run of kRun, and of all. *)
Fixpoint prefix_sums (fuel : nat) (sum : Z) (rest : list Z) : list Z * Z :=
  match fuel, rest with
  | S fuel, _ :: _ =>
      let '(sums, all) :=
        prefix_sums fuel (add128 sum (sum_of (firstn kRun rest))) (skipn kRun rest) in
      (w64 sum :: sums, all)
  | _, _ => ([w64 sum], sum)
  end.

Definition make (lowers : list Z) (bound : exp_bound) (total : Z) : option band :=
  let k := Z.of_nat (length lowers) in
  if is_shape k total then
    let '(prefix, lower_sum) := prefix_sums (length lowers) 0 lowers in
    let is_ample := (lower_sum <=? total)
                    && (times_floor bound (last prefix 0) (add64 total k) =? add64 total k) in
    let upper_sum :=
      if is_ample then total
      else fold_left (fun sum lower => add128 sum (times_floor bound lower total)) lowers 0 in
    if has_room lower_sum upper_sum total
    then Some {| bound := bound; total := total; is_uniform := false; lowers := lowers;
                 prefix := prefix |}
    else None
  else None.

Definition upper_of (b : band) (lower : Z) : Z := times_floor (bound b) lower (total b).
