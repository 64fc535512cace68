(** src/core/random.h: machine integers, and an integer below a bound from uniform words.

    Every machine integer is a Z, and every operation that may wrap is reduced as C++ reduces it. *)
From Coq Require Import ZArith List Bool.
Import ListNotations.
Open Scope Z_scope.

(** Conversion to std::uint64_t and to uint128. *)
Definition w64 (x : Z) : Z := x mod 2 ^ 64.
Definition w128 (x : Z) : Z := x mod 2 ^ 128.

Definition add64 (a b : Z) : Z := w64 (a + b).
Definition sub64 (a b : Z) : Z := w64 (a - b).
Definition mul64 (a b : Z) : Z := w64 (a * b).
Definition shl64 (a n : Z) : Z := w64 (Z.shiftl a n).
Definition add128 (a b : Z) : Z := w128 (a + b).
Definition sub128 (a b : Z) : Z := w128 (a - b).
Definition mul128 (a b : Z) : Z := w128 (a * b).
Definition shl128 (a n : Z) : Z := w128 (Z.shiftl a n).

(** A word as std::int64_t. *)
Definition signed64 (x : Z) : Z := if x <? 2 ^ 63 then x else x - 2 ^ 64.

(** times_127 *)
Definition times_127 (a b : Z) : Z :=
  let low := Z.ones 64 in
  let middle :=
    add128 (add128 (mul128 (Z.shiftr a 64) (Z.land b low)) (mul128 (Z.land a low) (Z.shiftr b 64)))
           (Z.shiftr (mul128 (Z.land a low) (Z.land b low)) 64) in
  Z.lor (shl128 (add128 (mul128 (Z.shiftr a 64) (Z.shiftr b 64)) (Z.shiftr middle 64)) 1)
        (Z.land (Z.shiftr middle 63) 1).

(** What a word gives: a value, or nothing if it is drawn anew. *)
Definition value_of (bound word : Z) : option Z :=
  let product := mul128 word bound in
  if (w64 product <? bound) && (w64 product <? w64 (- bound) mod bound) then None
  else Some (Z.shiftr product 64).

(** uniform_below: a value and the words that are left, or nothing if there are too few words. *)
Fixpoint uniform_below (bound : Z) (words : list Z) : option (Z * list Z) :=
  match words with
  | [] => None
  | word :: rest =>
      match value_of bound word with
      | None => uniform_below bound rest
      | Some value => Some (value, rest)
      end
  end.

(** UniformBelow of src/kernel/order.h: the same with one comparison. *)
Fixpoint uniform_below_again (bound : Z) (words : list Z) : option (Z * list Z) :=
  match words with
  | [] => None
  | word :: rest =>
      let product := mul128 word bound in
      if w64 product <? w64 (- bound) mod bound then uniform_below_again bound rest
      else Some (Z.shiftr product 64, rest)
  end.

(** A draw: what is returned, or an integer below a bound that decides how to go on. *)
Inductive draw (A : Type) : Type :=
| Return (outcome : A)
| Below (bound : Z) (next : Z -> draw A).
Arguments Return {A}.
Arguments Below {A}.

Fixpoint run {A} (d : draw A) (words : list Z) : option (A * list Z) :=
  match d with
  | Return outcome => Some (outcome, words)
  | Below bound next =>
      match uniform_below bound words with
      | None => None
      | Some (value, rest) => run (next value) rest
      end
  end.

Fixpoint bind {A B} (d : draw A) (next : A -> draw B) : draw B :=
  match d with
  | Return outcome => next outcome
  | Below bound more => Below bound (fun value => bind (more value) next)
  end.
