(** What a draw's probabilities are, and what epsilon says of them. Nothing here is the program's:
    a reader of the theorems reads these definitions first. *)
From Coq Require Import ZArith List Bool Reals.
From Mollify Require Import random.Code.
Import ListNotations.
Open Scope R_scope.

(** f(0) + ... + f(n - 1), and how many of 0 ... n - 1 have p. *)
Fixpoint sum_below (n : nat) (f : Z -> R) : R :=
  match n with
  | O => 0
  | S n => sum_below n f + f (Z.of_nat n)
  end.
Fixpoint count (n : nat) (p : Z -> bool) : Z :=
  match n with
  | O => 0
  | S n => (count n p + if p (Z.of_nat n) then 1 else 0)%Z
  end.

Definition kWords : nat := Z.to_nat (2 ^ 64).

(** The share of all strings of n words that have p: the probability of p if words are uniform. *)
Fixpoint share (n : nat) (p : list Z -> bool) : R :=
  match n with
  | O => if p [] then 1 else 0
  | S n => sum_below kWords (fun word => share n (fun words => p (word :: words))) / IZR (2 ^ 64)
  end.

(** Whether the draw ends with these words and returns an outcome of the event. *)
Definition returns {A} (d : draw A) (event : A -> bool) (words : list Z) : bool :=
  match run d words with
  | Some (outcome, _) => event outcome
  | None => false
  end.

(** Every bound is a word other than 0. *)
Fixpoint proper {A} (d : draw A) : Prop :=
  match d with
  | Return _ => True
  | Below bound next =>
      (0 < bound < 2 ^ 64)%Z /\ forall value, (0 <= value < bound)%Z -> proper (next value)
  end.

(** The expectation of a function of the outcome, and the probability of an event, if `Below b`
    gives each integer below b with probability 1 / b. Theorem `law_is_of_words` says that this is
    what uniform words come to. *)
Fixpoint expectation {A} (d : draw A) (f : A -> R) : R :=
  match d with
  | Return outcome => f outcome
  | Below bound next =>
      sum_below (Z.to_nat bound) (fun value => expectation (next value) f) / IZR bound
  end.
Definition indicator {A} (event : A -> bool) (outcome : A) : R := if event outcome then 1 else 0.
Definition law {A} (d : draw A) (event : A -> bool) : R := expectation d (indicator event).

(** Pure differential privacy of two laws: P(S) <= e^epsilon P'(S), for every event S. *)
Definition within {A} (epsilon : R) (d d' : draw A) : Prop :=
  forall event : A -> bool, law d event <= exp epsilon * law d' event.
