(** src/core/numerators.h, numerators.cpp and numerators_lanes.cpp: from any doubles to integers
    inside public bounds that sum to the total.

    What floating point computed arrives here as the 64 bits of a double, whatever they are. *)
From Coq Require Import ZArith List Bool.
From Mollify Require Import random.Code band.Code.
Import ListNotations.
Open Scope Z_scope.

(** *** Doubles as bits. *)

Definition is_nan (x : Z) : bool := 2047 * 2 ^ 52 <? x mod 2 ^ 63.
(** Orders the doubles that are not NaN: the magnitude's bits, negative for a negative double. *)
Definition place (x : Z) : Z := if x <? 2 ^ 63 then x else 2 ^ 63 - x.
(** IEEE 754's x < y. *)
Definition is_less (x y : Z) : bool := negb (is_nan x) && negb (is_nan y) && (place x <? place y).

(** The double of an integer from 1 to 2^62, of which what is beyond 53 digits is cut. *)
Definition double_of (n : Z) : Z :=
  let e := Z.log2 n in (1023 + e) * 2 ^ 52 + Z.shiftl (n - 2 ^ e) (52 - e).

(** at_least and truncate of src/core/lanes.h *)
Definition at_least (least x : Z) : Z := if is_less least x then x else least.
Definition truncate (x most : Z) : Z :=
  let x := at_least (1023 * 2 ^ 52) x in
  let x := if is_less x most then x else most in
  let mantissa := Z.lor (shl64 x 11) (2 ^ 63) in
  Z.shiftr mantissa (1086 - Z.shiftr x 52).

(** *** The bounds of a pass. *)

Record bounds : Type := {
  b_total : Z;
  b_bound : exp_bound;
  b_uniform : bool;       (* lowers == nullptr *)
  b_lowers : list Z
}.

Definition bounds_of (b : band) : bounds :=
  {| b_total := total b; b_bound := bound b; b_uniform := is_uniform b; b_lowers := lowers b |}.

Definition upper_at (b : bounds) (lower : Z) : Z :=
  let product := Z.shiftr (mul128 lower (mantissa (b_bound b))) (shift (b_bound b)) in
  if product <? b_total b then w64 product else b_total b.

(** *** The rounding pass: three rules, for one lane each. *)

Definition low32 (x : Z) : Z := Z.land x (Z.ones 32).
Definition times_low (a b : Z) : Z := mul64 (low32 a) (low32 b).
Definition less (a b : Z) : bool := signed64 a <? signed64 b.

(** Clamp: `x` is score * t. *)
Definition clamp (b : bounds) (x lower : Z) : Z :=
  let m := mantissa (b_bound b) in
  let s := shift (b_bound b) in
  let n := truncate x (double_of (b_total b)) in
  let n := if less n lower then lower else n in
  let lower_high := Z.shiftr lower 32 in
  let last := times_low lower m in
  let middle := add64 (add64 (times_low lower (Z.shiftr m 32)) (times_low lower_high m))
                      (Z.shiftr last 32) in
  let first := times_low lower_high (Z.shiftr m 32) in
  let '(first, product) :=
    if 32 <? s then
      (first, add64 (shl64 first (64 - s)) (Z.shiftr middle (s - 32)))
    else
      let first := add64 first (Z.shiftr middle 32) in
      (first, Z.lor (shl64 first (64 - s)) (Z.shiftr (Z.lor (shl64 middle 32) (low32 last)) s)) in
  if less product n && less first (2 ^ (s - 2)) then product else n.

(** Granules: `x` is score * t_ + lifted_. *)
Definition granule_shift (b : bounds) (lower : Z) : Z :=
  let room := sub64 (upper_at b lower) lower in
  let bits := Z.log2 (Z.lor room 1) + 1 in
  if 51 <? bits then bits - 51 else 0.
Definition granules (b : bounds) (lower x : Z) : Z :=
  let room := sub64 (upper_at b lower) lower in
  let most := Z.shiftr room (granule_shift b lower) in
  let none := 1075 * 2 ^ 52 in
  let m := sub64 (at_least none x) none in
  if less most m then most else m.
Definition are_fine (b : bounds) (lower : Z) : bool :=
  (granule_shift b lower =? 0) || (2 ^ 36 <=? Z.shiftr lower (granule_shift b lower)).

(** Ends *)
Definition ends (above other : Z) (score lower : Z) : Z :=
  let n := if is_less ((1023 - 700) * 2 ^ 52) score then above else other in
  if lower =? 0 then 0 else n.

(** *** Sums of blocks of 256, four lanes each. *)

Fixpoint lanes (l : list Z) : list Z * list Z * list Z * list Z :=
  match l with
  | [] => ([], [], [], [])
  | n :: rest => let '(x, y, z, w) := lanes rest in (n :: w, x, y, z)
  end.

Definition lane_sum (is_below_55_bits : bool) (l : list Z) : Z :=
  let low := fold_left add64 l 0 in
  let high := if is_below_55_bits then 0
              else fold_left add64 (map (fun n => Z.shiftr n 32) l) 0 in
  add128 (shl128 high 32) (sub64 low (shl64 high 32)).

(** A block's exact sum, of what the rule returned. *)
Definition block_sum (is_below_55_bits : bool) (shift base : Z) (l : list Z) : Z :=
  let '(x, y, z, w) := lanes l in
  let block := add128 (add128 (add128 (lane_sum is_below_55_bits x) (lane_sum is_below_55_bits y))
                              (lane_sum is_below_55_bits z)) (lane_sum is_below_55_bits w) in
  add128 (shl128 block shift) (mul128 base (Z.of_nat (length l))).

Definition kBlock : nat := 256.

(** Numerators, block sums modulo 2^64, and the exact sum. *)
Record numerators : Type := { of_outcomes : list Z; of_blocks : list Z }.

Fixpoint round_blocks (fuel : nat) (is_below_55_bits : bool) (shift base sum : Z) (l : list Z)
  : list Z * Z :=
  match fuel, l with
  | S fuel, _ :: _ =>
      let block := block_sum is_below_55_bits shift base (firstn kBlock l) in
      let '(blocks, all) :=
        round_blocks fuel is_below_55_bits shift base (add128 sum block) (skipn kBlock l) in
      (w64 block :: blocks, all)
  | _, _ => ([], sum)
  end.

Definition round_by (is_below_55_bits : bool) (shift base : Z) (l : list Z) : numerators * Z :=
  let '(blocks, sum) := round_blocks (length l) is_below_55_bits shift base 0 l in
  ({| of_outcomes := map (fun n => add64 base (shl64 n shift)) l; of_blocks := blocks |}, sum).

Fixpoint map2 {A B C} (f : A -> B -> C) (l : list A) (m : list B) : list C :=
  match l, m with
  | x :: l, y :: m => f x y :: map2 f l m
  | _, _ => []
  end.

(** Of a uniform band, the one lower bound. *)
Definition lower_of (b : bounds) : Z := hd 0 (b_lowers b).

Definition rounding_pass (b : bounds) (xs : list Z) : numerators * Z :=
  let lower := lower_of b in
  if b_uniform b && are_fine b lower then
    round_by true (granule_shift b lower) lower
             (map2 (fun x _ => granules b lower x) xs (b_lowers b))
  else round_by false 0 0 (map2 (clamp b) xs (b_lowers b)).

Definition ends_pass (b : bounds) (scores : list Z) (above other : Z) : numerators * Z :=
  round_by false 0 0 (map2 (ends above other) scores (b_lowers b)).

(** *** An infinite scale: some at their upper bounds, the rest in proportion to the lower ones. *)

(** Shares: the multiple of one lower bound. *)
Definition share_of (rest whole lower : Z) : Z :=
  let each := if whole =? 0 then 0 else rest / whole in
  let fraction := if whole =? 0 then 0 else w64 (shl128 (rest mod whole) 64 / whole) in
  let multiple := mul128 lower fraction in
  let share := add64 (mul64 lower each) (w64 (Z.shiftr multiple 64)) in
  let may_be_more := (2 ^ 64 - 1 - lower) <? w64 multiple in
  if may_be_more && (mul128 (add64 share 1) whole <=? mul128 lower rest) then add64 share 1
  else share.

Definition clamped_share (b : bounds) (taken lower_sum lower : Z) : Z :=
  let rest := if taken <? b_total b then sub64 (b_total b) (w64 taken) else 0 in
  let share := share_of rest (w64 lower_sum) lower in
  let upper := upper_at b lower in
  if share <? lower then lower else if upper <? share then upper else share.

Definition total_of (l : list Z) : Z := fold_left add128 l 0.

(** Block sums as saturate adds them, number by number. *)
Fixpoint plain_blocks (fuel : nat) (l : list Z) : list Z :=
  match fuel, l with
  | S fuel, _ :: _ => fold_left add64 (firstn kBlock l) 0 :: plain_blocks fuel (skipn kBlock l)
  | _, _ => []
  end.

Definition saturate (b : bounds) (positive : list bool) : numerators * Z :=
  let taken := total_of (map2 (fun (p : bool) lower => if p then upper_at b lower else 0)
                              positive (b_lowers b)) in
  let lower_sum := total_of (map2 (fun (p : bool) lower => if p then 0 else lower)
                                  positive (b_lowers b)) in
  let l := map2 (fun (p : bool) lower => if p then upper_at b lower
                                         else clamped_share b taken lower_sum lower)
                positive (b_lowers b) in
  ({| of_outcomes := l; of_blocks := plain_blocks (length l) l |}, total_of l).

Definition saturate_alike (b : bounds) (scores : list Z) : numerators * Z :=
  let size := Z.of_nat (length (b_lowers b)) in
  let lower := lower_of b in
  let positive := w64 (snd (ends_pass b scores 1 0)) in
  let other := clamped_share b (mul128 positive (upper_at b lower))
                             (mul128 (sub64 size positive) lower) lower in
  ends_pass b scores (upper_at b lower) other.

(** *** Settling. *)

Fixpoint add_at (j : nat) (step : Z) (l : list Z) : list Z :=
  match l, j with
  | [], _ => []
  | x :: l, O => add64 x step :: l
  | x :: l, S j => x :: add_at j step l
  end.

Fixpoint settle_round (b : bounds) (raise : bool) (s : Z) (i : nat) (lowers ns : list Z)
  (blocks : list Z) (missing : Z) : list Z * list Z * Z :=
  match lowers, ns with
  | lower :: lowers, n :: ns =>
      if missing =? 0 then (n :: ns, blocks, missing)
      else
        let room := if raise then sub64 (upper_at b lower) n else sub64 n lower in
        let step := Z.min room (add64 (Z.shiftr n s) 1) in
        let step := if missing <? step then w64 missing else step in
        let n := if raise then add64 n step else sub64 n step in
        let blocks := add_at (i / kBlock) (if raise then step else w64 (- step)) blocks in
        let '(ns, blocks, missing) :=
          settle_round b raise s (S i) lowers ns blocks (sub128 missing step) in
        (n :: ns, blocks, missing)
  | _, _ => (ns, blocks, missing)
  end.

Fixpoint settle_rounds (fuel : nat) (b : bounds) (raise : bool) (s : Z) (ns blocks : list Z)
  (missing : Z) : numerators * Z :=
  match fuel with
  | O => ({| of_outcomes := ns; of_blocks := blocks |}, missing)
  | S fuel =>
      if missing =? 0 then ({| of_outcomes := ns; of_blocks := blocks |}, missing)
      else
        let '(ns, blocks, missing) := settle_round b raise s 0 (b_lowers b) ns blocks missing in
        settle_rounds fuel b raise (Z.max (s - 1) 0) ns blocks missing
  end.

(** The theorems say that 97 rounds are enough: what is left over is 0. *)
Definition kRounds : nat := 97.

Definition settle (b : bounds) (sum : Z) (n : numerators) : numerators * Z :=
  let raise := sum <? b_total b in
  let missing := if raise then sub128 (b_total b) sum else sub128 sum (b_total b) in
  settle_rounds kRounds b raise 32 (of_outcomes n) (of_blocks n) missing.

(** *** fit: what the scores and the search came to is one of these. *)
Inductive proposal : Type :=
| Products (xs : list Z)          (* doubles' bits: a finite scale *)
| Positive (positive : list bool) (* saturate *)
| Scores (xs : list Z).           (* saturate_alike: bounds that are the same *)

Definition round (b : bounds) (p : proposal) : numerators * Z :=
  match p with
  | Products xs => rounding_pass b xs
  | Positive positive => saturate b positive
  | Scores xs => saturate_alike b xs
  end.

(** The search may round as often as it likes: each pass writes everything anew. *)
Definition fit (b : bounds) (first : proposal) (more : list proposal) : numerators :=
  let '(n, sum) := fold_left (fun _ p => round b p) more (round b first) in
  fst (settle b sum n).

Definition fit_reference (b : bounds) : numerators :=
  let '(n, sum) := saturate b (map (fun _ => false) (b_lowers b)) in
  fst (settle b sum n).
