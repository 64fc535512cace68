(** src/kernel/channels.h and channels.cpp: randomized response, rows of a public matrix, mixtures
    with a public reference, and alias tables.

    Doubles end where they become integers: what they come to is given. *)
From Coq Require Import ZArith List Bool.
From Mollify Require Import random.Code band.Code.
Import ListNotations.
Open Scope Z_scope.

(** A truth as an integer, and the mask of all bits that C++ makes of it: -std::size_t{truth}. *)
Definition bit_of (truth : bool) : Z := if truth then 1 else 0.
Definition mask_of (truth : bool) : Z := sub64 0 (bit_of truth).

(** UniformBelow of src/kernel/order.h gives what uniform_below gives: a draw below a bound. *)

(** *** k-ary randomized response. *)

Record response : Type := {
  r_bound : exp_bound;
  r_count : Z;
  r_records : Z;
  r_chosen : Z;
  r_kept : Z;
  r_other : Z
}.

Definition kMostRecords : Z := 2 ^ 40.

(** RandomizedResponse, which refuses other numbers. *)
Definition make_response (bound : exp_bound) (count records chosen : Z) : option response :=
  if (1 <=? count) && (count <=? kMostOutcomes) && (1 <=? records) && (records <=? kMostRecords)
     && (1 <=? chosen) && (chosen <=? records)
  then
    let one := shl64 1 (shift bound) in
    let odds := add128 one (mul128 records (sub64 (mantissa bound) one) / chosen) in
    let denominator := add128 odds (shl128 (sub64 count 1) (shift bound)) in
    let other := w64 (shl128 kGreatestTotal (shift bound) / denominator) in
    let other := if other =? 0 then 1 else other in
    let kept := Z.shiftr (mul128 other odds) (shift bound) in
    let room := sub64 kGreatestTotal (mul64 other (sub64 count 1)) in
    let kept := if kept <? room then w64 kept else room in
    let other := if count =? 1 then 0 else other in
    Some {| r_bound := bound; r_count := count; r_records := records; r_chosen := chosen;
            r_kept := kept; r_other := other |}
  else None.

(** total(): that of UniformBelow. *)
Definition response_total (r : response) : Z :=
  add64 (r_kept r) (mul64 (r_other r) (sub64 (r_count r) 1)).

(** RandomizedResponse::satisfies *)
Definition response_satisfies (r : response) (bound : exp_bound) : bool :=
  (r_count r =? 1)
  || allows bound (add128 (mul128 (r_chosen r) (r_kept r))
                          (mul128 (sub64 (r_records r) (r_chosen r)) (r_other r)))
                  (mul128 (r_records r) (r_other r)).

(** RandomizedResponse::outcome_at *)
Definition inside_of (count value : Z) : Z := Z.land value (mask_of (value <? count)).
Definition outcome_at (r : response) (value position other : Z) : Z :=
  let inside := inside_of (r_count r) value in
  let another := add64 other (bit_of (inside <=? other)) in
  let keeps := mask_of (position <? r_kept r) in
  Z.lor (Z.land inside keeps) (Z.land another (Z.lxor keeps (Z.ones 64))).

(** RandomizedResponse::draw *)
Definition draw_response (r : response) (value : Z) : draw Z :=
  Below (response_total r) (fun position =>
  Below (if 1 <? r_count r then sub64 (r_count r) 1 else 1) (fun other =>
  Return (outcome_at r value position other))).

(** *** Sums before each of some numbers, and the number that holds a position. *)

Fixpoint sums_from (sum : Z) (numbers : list Z) : list Z :=
  match numbers with
  | [] => [sum]
  | n :: numbers => sum :: sums_from (add64 sum n) numbers
  end.

(** std::upper_bound among ascending numbers: how many are not above the position. *)
Fixpoint upper_bound (numbers : list Z) (position : Z) : nat :=
  match numbers with
  | [] => O
  | n :: numbers => if position <? n then O else S (upper_bound numbers position)
  end.

Definition locate (sums : list Z) (position : Z) : Z :=
  Z.of_nat (upper_bound sums position) - 1.

(** An entry of a row that is given by its sums. *)
Definition entry_of (sums : list Z) (j : nat) : Z :=
  sub64 (nth (S j) sums 0) (nth j sums 0).

(** The greatest and the least of some numbers: Extremes. *)
Definition greatest (first : Z) (numbers : list Z) : Z := fold_left Z.max numbers first.
Definition least (first : Z) (numbers : list Z) : Z := fold_left Z.min numbers first.

(** *** Rows of a public matrix. *)

Record matrix : Type := { m_count : nat; m_rows : list (list Z) (* sums, k + 1 for each row *) }.

Definition kMatrixTotal : Z := 2 ^ 62.

(** One row of MatrixChannel::make, from the integers that its doubles come to. *)
Fixpoint cumulated (sum : Z) (parts : list Z) : list Z :=
  match parts with
  | [] => [sum]
  | part :: parts => sum :: cumulated (add128 sum part) parts
  end.
Fixpoint with_places (j rest all : Z) (cumulative : list Z) : list Z :=
  match cumulative with
  | [] => []
  | sum :: cumulative =>
      w64 (add128 (mul128 sum rest / all) j) :: with_places (j + 1) rest all cumulative
  end.
Definition row_of (parts : list Z) : list Z :=
  let cumulative := cumulated 0 parts in
  let rest := sub128 kMatrixTotal (Z.of_nat (length parts)) in
  with_places 0 rest (last cumulative 0) cumulative.

(** MatrixChannel::column *)
Definition column_of (rows : list (list Z)) (j : nat) : Z * Z :=
  match map (fun row => entry_of row j) rows with
  | [] => (0, 0)
  | first :: others => (greatest first others, least first others)
  end.
(** MatrixChannel::satisfies *)
Definition matrix_satisfies (m : matrix) (bound : exp_bound) : bool :=
  forallb (fun j => allows bound (fst (column_of (m_rows m) j)) (snd (column_of (m_rows m) j)))
          (seq 0 (m_count m)).

(** MatrixChannel::make, once the shape was found to fit. *)
Definition make_matrix (bound : exp_bound) (count : nat) (parts : list (list Z)) : option matrix :=
  let m := {| m_count := count; m_rows := map row_of parts |} in
  if matrix_satisfies m bound then Some m else None.

(** MatrixChannel::draw *)
Definition draw_matrix (m : matrix) (row : Z) : draw Z :=
  Below kMatrixTotal (fun position =>
  let inside := if row <? Z.of_nat (length (m_rows m)) then Z.to_nat row else O in
  Return (locate (nth inside (m_rows m) []) position)).

(** *** The value, or a draw from a public reference. *)

Record mixture : Type := { x_keep : Z; x_sums : list Z }.

Definition kKeepTotal : Z := 2 ^ 62.

(** The constructor, from the integers that the reference's doubles come to. *)
Definition reference_sums (shares : list Z) : list Z := sums_from 0 (map (Z.max 1) shares).

Definition mixture_count (x : mixture) : Z := Z.of_nat (length (x_sums x)) - 1.
Definition reference_total (x : mixture) : Z := last (x_sums x) 0.
Definition kept_entry (x : mixture) : Z := mul128 (x_keep x) (reference_total x).
Definition replaced_entry (x : mixture) (j : nat) : Z :=
  mul128 (sub64 kKeepTotal (x_keep x)) (entry_of (x_sums x) j).

(** MixtureChannel::column *)
Definition mixture_column (x : mixture) (j : nat) : Z * Z :=
  let lowest := replaced_entry x j in
  (add128 (kept_entry x) lowest,
   if 1 <? mixture_count x then lowest else add128 (kept_entry x) lowest).
Definition column_is_allowed (x : mixture) (bound : exp_bound) (j : nat) : bool :=
  allows bound (fst (mixture_column x j)) (snd (mixture_column x j)).
Definition mixture_satisfies (x : mixture) (bound : exp_bound) : bool :=
  forallb (column_is_allowed x bound) (seq 0 (Z.to_nat (mixture_count x))).

(** The first outcome whose entry is least: j is the next one, in ascending order. *)
Fixpoint rarest_from (sums : list Z) (rarest j : nat) (more : nat) : nat :=
  match more with
  | O => rarest
  | S more =>
      rarest_from sums (if entry_of sums j <? entry_of sums rarest then j else rarest) (S j) more
  end.

(** Bisection: refused - allowed is halved each time. *)
Fixpoint bisected (fuel : nat) (sums : list Z) (bound : exp_bound) (rarest : nat)
    (allowed refused : Z) : Z :=
  match fuel with
  | O => refused
  | S fuel =>
      if 1 <? sub64 refused allowed then
        let middle := add64 allowed (sub64 refused allowed / 2) in
        if column_is_allowed {| x_keep := middle; x_sums := sums |} bound rarest
        then bisected fuel sums bound rarest middle refused
        else bisected fuel sums bound rarest allowed middle
      else refused
  end.
Definition kHalvings : nat := 63.

(** MixtureChannel::pure *)
Definition pure_mixture (bound : exp_bound) (shares : list Z) : mixture :=
  let sums := reference_sums shares in
  if (length shares =? 1)%nat then {| x_keep := 0; x_sums := sums |}
  else
    let rarest := rarest_from sums 0 1 (length shares - 1) in
    {| x_keep := sub64 (bisected kHalvings sums bound rarest 0 kKeepTotal) 1; x_sums := sums |}.

(** MixtureChannel::draw_reference and draw *)
Definition draw_reference (x : mixture) : draw Z :=
  Below (reference_total x) (fun position => Return (locate (x_sums x) position)).
Definition draw_mixture (x : mixture) (value : Z) : draw Z :=
  Below kKeepTotal (fun position =>
  if position <? x_keep x then Return (if value <? mixture_count x then value else 0)
  else draw_reference x).

(** *** Alias tables. *)

Record alias_table : Type := {
  a_total : Z;
  a_thresholds : list Z;
  a_aliases : list Z
}.

Fixpoint set {A} (l : list A) (i : nat) (x : A) : list A :=
  match l, i with
  | [], _ => []
  | _ :: l, O => x :: l
  | y :: l, S i => y :: set l i x
  end.

(** The parts of each column, and the columns with fewer than N and with N or more: the last of
    std::vector is the first here. *)
Fixpoint split_columns (total : Z) (i : nat) (parts : list Z) (short long : list nat)
    : list nat * list nat :=
  match parts with
  | [] => (short, long)
  | part :: parts =>
      if part <? total then split_columns total (S i) parts (i :: short) long
      else split_columns total (S i) parts short (i :: long)
  end.

(** The loop: each time one short column is closed. Nothing, if there is no long one left. *)
Fixpoint pair_columns (fuel : nat) (total : Z) (parts : list Z) (short long : list nat)
    (thresholds aliases : list Z) : option (list nat * list Z * list Z) :=
  match fuel, short, long with
  | _, [], _ => Some (long, thresholds, aliases)
  | S fuel, low :: short, high :: long =>
      let part := nth low parts 0 in
      let left := sub128 (nth high parts 0) (sub128 total part) in
      let thresholds := set thresholds low (w64 part) in
      let aliases := set aliases low (Z.of_nat high) in
      let parts := set parts high left in
      if left <? total then pair_columns fuel total parts (high :: short) long thresholds aliases
      else pair_columns fuel total parts short (high :: long) thresholds aliases
  | _, _, _ => None
  end.

Fixpoint close_columns (total : Z) (long : list nat) (thresholds aliases : list Z)
    : list Z * list Z :=
  match long with
  | [] => (thresholds, aliases)
  | i :: long =>
      close_columns total long (set thresholds i total) (set aliases i (Z.of_nat i))
  end.

Definition make_alias (total : Z) (numerators : list Z) : option alias_table :=
  let count := length numerators in
  let parts := map (fun n => mul128 n (Z.of_nat count)) numerators in
  let '(short, long) := split_columns total 0 parts [] [] in
  match pair_columns count total parts short long (repeat 0 count) (repeat 0 count) with
  | None => None
  | Some (long, thresholds, aliases) =>
      let '(thresholds, aliases) := close_columns total long thresholds aliases in
      Some {| a_total := total; a_thresholds := thresholds; a_aliases := aliases |}
  end.

Definition alias_at (a : alias_table) (column height : Z) : Z :=
  if height <? nth (Z.to_nat column) (a_thresholds a) 0 then column
  else nth (Z.to_nat column) (a_aliases a) 0.

Definition draw_alias (a : alias_table) : draw Z :=
  Below (Z.of_nat (length (a_thresholds a))) (fun column =>
  Below (a_total a) (fun height => Return (alias_at a column height))).
