(** Reports of m records that are chosen from n in a uniformly random order. *)
From Coq Require Import ZArith List Bool Lia Permutation Reals Lra Psatz.
From Mollify Require Import random.Code random.Properties law.Code law.Properties
  band.Code band.Properties band.Machine table.Properties privacy.Properties
  channels.Code channels.Properties order.Code.
Import ListNotations.
Open Scope R_scope.

(** Each element with the elements that it leaves, in order. *)
Fixpoint picks {A} (l : list A) : list (A * list A) :=
  match l with
  | [] => []
  | x :: l => (x, l) :: map (fun p => (fst p, x :: snd p)) (picks l)
  end.

Fixpoint total_of {A} (l : list A) (f : A -> R) : R :=
  match l with
  | [] => 0
  | x :: l => f x + total_of l f
  end.

Lemma total_map {A B} (g : A -> B) l f : total_of (map g l) f = total_of l (fun x => f (g x)).
Proof. induction l as [|x l IH]; cbn [map total_of]; [reflexivity | rewrite IH; reflexivity]. Qed.
Lemma total_ext {A} (l : list A) f g : (forall x, In x l -> f x = g x) -> total_of l f = total_of l g.
Proof.
  induction l as [|x l IH]; intros H; cbn [total_of]; [reflexivity|].
  rewrite (H x) by (left; reflexivity). rewrite IH by (intros; apply H; right; assumption). reflexivity.
Qed.
Lemma total_plus {A} (l : list A) f g : total_of l (fun x => f x + g x) = total_of l f + total_of l g.
Proof. induction l as [|x l IH]; cbn [total_of]; [lra | rewrite IH; lra]. Qed.
Lemma total_scale {A} (l : list A) c f : total_of l (fun x => c * f x) = c * total_of l f.
Proof. induction l as [|x l IH]; cbn [total_of]; [lra | rewrite IH; lra]. Qed.
Lemma total_const {A} (l : list A) c : total_of l (fun _ => c) = INR (length l) * c.
Proof. induction l as [|x l IH]; cbn [total_of length]; [cbn; lra | rewrite IH, S_INR; lra]. Qed.
Lemma total_le {A} (l : list A) f g : (forall x, In x l -> f x <= g x) -> total_of l f <= total_of l g.
Proof.
  induction l as [|x l IH]; intros H; cbn [total_of]; [lra|].
  apply Rplus_le_compat; [apply H; left; reflexivity | apply IH; intros; apply H; right; assumption].
Qed.
Lemma total_nonneg {A} (l : list A) f : (forall x, In x l -> 0 <= f x) -> 0 <= total_of l f.
Proof.
  intros H. rewrite <- (Rmult_0_r (INR (length l))), <- (total_const l). apply total_le. exact H.
Qed.
Lemma total_swap {A B} (l : list A) (m : list B) (f : A -> B -> R) :
  total_of l (fun x => total_of m (f x)) = total_of m (fun y => total_of l (fun x => f x y)).
Proof.
  induction l as [|x l IH]; cbn [total_of].
  - induction m as [|y m IH]; cbn [total_of]; [reflexivity | rewrite <- IH; lra].
  - rewrite IH, <- total_plus. reflexivity.
Qed.

Lemma picks_length {A} (l : list A) : length (picks l) = length l.
Proof. induction l as [|x l IH]; cbn [picks length]; [reflexivity | rewrite map_length, IH; reflexivity]. Qed.
Lemma picks_lengths {A} (l : list A) p : In p (picks l) -> length l = S (length (snd p)).
Proof.
  revert p. induction l as [|x l IH]; intros p; cbn [picks]; [intros []|].
  intros [<- | H]; [reflexivity|]. apply in_map_iff in H. destruct H as (q & <- & H).
  cbn [snd length]. rewrite (IH q H). reflexivity.
Qed.

(** Two picks in either order. *)
Lemma picks_twice {A} (l : list A) (g : A -> A -> list A -> R) :
  total_of (picks l) (fun p => total_of (picks (snd p)) (fun q => g (fst p) (fst q) (snd q)))
  = total_of (picks l) (fun p => total_of (picks (snd p)) (fun q => g (fst q) (fst p) (snd q))).
Proof.
  revert g. induction l as [|x l IH]; intros g; [reflexivity|].
  cbn [picks total_of fst snd]. rewrite !total_map. cbn [fst snd].
  rewrite (total_ext (picks l) (fun p => total_of (picks (x :: snd p)) (fun q => g (fst p) (fst q) (snd q)))
    (fun p => g (fst p) x (snd p)
              + total_of (picks (snd p)) (fun q => g (fst p) (fst q) (x :: snd q)))).
  2: { intros p _. cbn [picks total_of fst snd]. rewrite total_map. reflexivity. }
  rewrite (total_ext (picks l) (fun p => total_of (picks (x :: snd p)) (fun q => g (fst q) (fst p) (snd q)))
    (fun p => g x (fst p) (snd p)
              + total_of (picks (snd p)) (fun q => g (fst q) (fst p) (x :: snd q)))).
  2: { intros p _. cbn [picks total_of fst snd]. rewrite total_map. reflexivity. }
  rewrite !total_plus. rewrite (IH (fun a b l => g a b (x :: l))). lra.
Qed.

(** A sum over picks does not depend on the order of the list, if the function does not. *)
Lemma picks_permutation {A} (l l' : list A) (g : A -> list A -> R) :
  Permutation l l' ->
  (forall x m m', Permutation m m' -> g x m = g x m') ->
  total_of (picks l) (fun p => g (fst p) (snd p)) = total_of (picks l') (fun p => g (fst p) (snd p)).
Proof.
  intros P. revert g. induction P as [|x l l' P IH|x y l|l l' l'' P IH P' IH']; intros g H.
  - reflexivity.
  - cbn [picks total_of fst snd]. rewrite !total_map. cbn [fst snd]. f_equal; [apply H; exact P|].
    apply (IH (fun a m => g a (x :: m))). intros a m m' Pm. apply H. constructor. exact Pm.
  - cbn [picks total_of map fst snd]. rewrite !total_map. cbn [fst snd].
    rewrite (total_ext _ (fun p => g (fst p) (y :: x :: snd p)) (fun p => g (fst p) (x :: y :: snd p)))
      by (intros p _; apply H; constructor).
    lra.
  - rewrite IH by exact H. apply IH'. exact H.
Qed.

(** *** Ordered choices, each by what its reports weigh. *)

(** The sum, over all ordered choices of as many elements as there are reports, of the product of q. *)
Fixpoint weigh (q : Z -> Z -> R) (reports xs : list Z) : R :=
  match reports with
  | [] => 1
  | y :: reports => total_of (picks xs) (fun p => q (fst p) y * weigh q reports (snd p))
  end.

Lemma weigh_permutation q v xs xs' : Permutation xs xs' -> weigh q v xs = weigh q v xs'.
Proof.
  revert xs xs'. induction v as [|y v IH]; intros xs xs' P; cbn [weigh]; [reflexivity|].
  apply (picks_permutation xs xs' (fun x l => q x y * weigh q v l) P).
  intros x m m' Pm. rewrite (IH m m' Pm). reflexivity.
Qed.

Definition ranges (q : Z -> Z -> R) (lo hi : R) (v : list Z) : Prop :=
  Forall (fun y => forall z, lo <= q z y <= hi) v.

Lemma weigh_nonneg q lo hi v xs : 0 <= lo -> ranges q lo hi v -> 0 <= weigh q v xs.
Proof.
  intros Hl R. revert xs. induction R as [|y v Hy R IH]; intros xs; cbn [weigh]; [lra|].
  apply total_nonneg. intros p _. specialize (IH (snd p)). specialize (Hy (fst p)).
  apply Rmult_le_pos; lra.
Qed.

(** Whether x is among those chosen, and where. *)
Lemma weigh_with q v x rest :
  weigh q v (x :: rest)
  = weigh q v rest + total_of (picks v) (fun t => q x (fst t) * weigh q (snd t) rest).
Proof.
  revert rest. induction v as [|y v IH]; intros rest; [cbn; lra|].
  cbn [weigh picks total_of fst snd]. rewrite !total_map. cbn [fst snd weigh].
  rewrite (total_ext (picks rest) (fun p => q (fst p) y * weigh q v (x :: snd p))
    (fun p => q (fst p) y * weigh q v (snd p)
              + total_of (picks v) (fun t => q x (fst t) * (q (fst p) y * weigh q (snd t) (snd p))))).
  2: { intros p _. rewrite IH, Rmult_plus_distr_l, <- total_scale. f_equal.
       apply total_ext. intros t _. ring. }
  rewrite total_plus, total_swap.
  rewrite (total_ext (picks v) (fun t => q x (fst t) * total_of (picks rest) _)
    (fun t => total_of (picks rest) (fun p => q x (fst t) * (q (fst p) y * weigh q (snd t) (snd p)))))
    by (intros; rewrite <- total_scale; reflexivity).
  lra.
Qed.

(** Each choice is counted once for each element that it leaves. *)
Lemma weigh_less_one q v rest :
  total_of (picks rest) (fun p => weigh q v (snd p))
  = (INR (length rest) - INR (length v)) * weigh q v rest.
Proof.
  revert rest. induction v as [|y v IH]; intros rest; cbn [weigh length].
  - rewrite total_const, picks_length. cbn. lra.
  - rewrite (picks_twice rest (fun _ b l => q b y * weigh q v l)).
    rewrite (total_ext _ _ (fun p => (INR (length rest) - INR (S (length v))) * (q (fst p) y * weigh q v (snd p)))).
    + rewrite total_scale. reflexivity.
    + intros p Hp. rewrite total_scale, IH, (picks_lengths rest p Hp), !S_INR. ring.
Qed.

(** To choose one more, for a report that was left out. *)
Lemma weigh_more q lo hi v rest t : 0 < lo -> ranges q lo hi v -> In t (picks v) ->
  lo * (INR (length rest) - INR (length v) + 1) * weigh q (snd t) rest <= weigh q v rest.
Proof.
  intros Hl R. revert rest t. induction R as [|y v Hy R IH]; intros rest t Ht; cbn [picks] in Ht; [destruct Ht|].
  cbn [length]. rewrite S_INR. destruct Ht as [<- | Ht].
  - cbn [snd weigh]. replace (INR (length rest) - (INR (length v) + 1) + 1)
      with (INR (length rest) - INR (length v)) by ring.
    rewrite Rmult_assoc, <- weigh_less_one, <- total_scale. apply total_le. intros p _.
    apply Rmult_le_compat_r; [|apply Hy]. apply weigh_nonneg with lo hi; [lra | exact R].
  - apply in_map_iff in Ht. destruct Ht as (u & <- & Hu). cbn [snd weigh].
    rewrite <- total_scale. apply total_le. intros p Hp. specialize (IH (snd p) u Hu).
    rewrite (picks_lengths rest p Hp), S_INR. specialize (Hy (fst p)).
    replace (lo * (INR (length (snd p)) + 1 - (INR (length v) + 1) + 1)
             * (q (fst p) y * weigh q (snd u) (snd p)))
      with (q (fst p) y * (lo * (INR (length (snd p)) - INR (length v) + 1) * weigh q (snd u) (snd p))) by ring.
    apply Rmult_le_compat_l; lra.
Qed.

Lemma weigh_ratio q lo hi E v x x' rest : 0 < lo -> 1 <= E -> ranges q lo hi v ->
  INR (length v) * hi + (INR (S (length rest)) - INR (length v)) * lo <= E * (INR (S (length rest)) * lo) ->
  weigh q v (x :: rest) <= E * weigh q v (x' :: rest).
Proof.
  intros Hl HE R H. rewrite !weigh_with.
  set (B := weigh q v rest). set (S := total_of (picks v) (fun t => weigh q (snd t) rest)).
  assert (HB : 0 <= B) by (apply weigh_nonneg with lo hi; [lra | exact R]).
  assert (Hw : forall t, In t (picks v) -> 0 <= weigh q (snd t) rest /\ lo <= q x' (fst t) /\ q x (fst t) <= hi).
  { intros t Ht. assert (Rt : In (fst t) v /\ incl (snd t) v).
    { clear - Ht. revert t Ht. induction v as [|y v IH]; intros t Ht; cbn [picks] in Ht; [destruct Ht|].
      destruct Ht as [<- | Ht]; [split; [left; reflexivity | intros z Hz; right; exact Hz]|].
      apply in_map_iff in Ht. destruct Ht as (u & <- & Hu). destruct (IH u Hu) as [I1 I2]. cbn [fst snd].
      split; [right; exact I1|]. intros z [<- | Hz]; [left; reflexivity | right; apply I2; exact Hz]. }
    destruct Rt as [R1 R2]. unfold ranges in R. rewrite Forall_forall in R. split; [|split; apply R; exact R1].
    apply weigh_nonneg with lo hi; [lra|]. unfold ranges. rewrite Forall_forall. intros y Hy. apply R. apply R2. exact Hy. }
  assert (HS : 0 <= S) by (apply total_nonneg; intros t Ht; apply Hw; exact Ht).
  assert (Up : total_of (picks v) (fun t => q x (fst t) * weigh q (snd t) rest) <= hi * S).
  { unfold S. rewrite <- total_scale. apply total_le. intros t Ht. destruct (Hw t Ht) as (W & _ & Q).
    apply Rmult_le_compat_r; assumption. }
  assert (Down : lo * S <= total_of (picks v) (fun t => q x' (fst t) * weigh q (snd t) rest)).
  { unfold S. rewrite <- total_scale. apply total_le. intros t Ht. destruct (Hw t Ht) as (W & Q & _).
    apply Rmult_le_compat_r; assumption. }
  assert (More : lo * (INR (length rest) - INR (length v) + 1) * S <= INR (length v) * B).
  { unfold S. rewrite <- total_scale. rewrite <- (picks_length v), <- total_const. apply total_le.
    intros t Ht. rewrite picks_length. apply weigh_more with hi; assumption. }
  rewrite S_INR in H. set (m := INR (length v)) in *. set (n := INR (length rest)) in *.
  assert (Hm : 0 <= m) by apply pos_INR.
  destruct (Rle_lt_or_eq_dec 0 m Hm) as [Pm | Zm].
  - enough (B + hi * S <= E * (B + lo * S)) by nra.
    apply Rmult_le_reg_l with m; [exact Pm|].
    assert (X : (m * hi + (n + 1 - m) * lo) * S <= E * ((n + 1) * lo) * S) by (apply Rmult_le_compat_r; assumption).
    assert (Y : (E - 1) * (lo * (n - m + 1) * S) <= (E - 1) * (m * B)) by (apply Rmult_le_compat_l; lra).
    nra.
  - assert (v = []).
    { destruct v; [reflexivity|]. unfold m in Zm. cbn [length] in Zm. rewrite S_INR in Zm.
      pose proof (pos_INR (length v)). lra. }
    subst v. cbn [picks total_of] in *. unfold B. cbn [weigh]. lra.
Qed.

(** *** The law of the reports. *)

Fixpoint total_of_vectors (k : nat) (m : nat) (g : list Z -> R) : R :=
  match m with
  | O => g []
  | S m => sum_below k (fun y => total_of_vectors k m (fun ys => g (y :: ys)))
  end.

Lemma total_of_vectors_le k m g h :
  (forall v, length v = m -> Forall (fun y => 0 <= y < Z.of_nat k)%Z v -> g v <= h v) ->
  total_of_vectors k m g <= total_of_vectors k m h.
Proof.
  revert g h. induction m as [|m IH]; intros g h H; cbn [total_of_vectors]; [apply H; [reflexivity | constructor]|].
  apply sum_le. intros y Hy. apply IH. intros v L F. apply H; [cbn; lia | constructor; assumption].
Qed.
Lemma total_of_vectors_ext k m g h : (forall v, g v = h v) -> total_of_vectors k m g = total_of_vectors k m h.
Proof.
  revert g h. induction m as [|m IH]; intros g h H; cbn [total_of_vectors]; [apply H|].
  apply sum_ext. intros y _. apply IH. intros v. apply H.
Qed.
Lemma total_of_vectors_scale k m c g :
  total_of_vectors k m (fun v => c * g v) = c * total_of_vectors k m g.
Proof.
  revert g. induction m as [|m IH]; intros g; cbn [total_of_vectors]; [reflexivity|].
  rewrite <- sum_scale. apply sum_ext. intros y _. apply (IH (fun ys => g (y :: ys))).
Qed.
Lemma sum_total_swap {A} n (l : list A) (f : Z -> A -> R) :
  sum_below n (fun y => total_of l (f y)) = total_of l (fun a => sum_below n (fun y => f y a)).
Proof.
  induction l as [|a l IH]; cbn [total_of].
  - rewrite sum_const. lra.
  - rewrite sum_plus, IH. reflexivity.
Qed.
Lemma total_of_vectors_total {A} k m (l : list A) (f : A -> list Z -> R) :
  total_of_vectors k m (fun v => total_of l (fun a => f a v))
  = total_of l (fun a => total_of_vectors k m (f a)).
Proof.
  revert f. induction m as [|m IH]; intros f; cbn [total_of_vectors]; [reflexivity|].
  rewrite (sum_ext _ _ (fun y => total_of l (fun a => total_of_vectors k m (fun ys => f a (y :: ys)))))
    by (intros; apply (IH (fun a ys => f a (_ :: ys)))).
  apply sum_total_swap.
Qed.

(** n (n - 1) ... (n - m + 1), times T^m. *)
Fixpoint ways (n m : nat) (T : R) : R :=
  match m with
  | O => 1
  | S m => INR n * T * ways (n - 1) m T
  end.
Lemma ways_positive n m T : 0 < T -> (m <= n)%nat -> 0 < ways n m T.
Proof.
  intros HT. revert n. induction m as [|m IH]; intros n H; cbn [ways]; [lra|].
  apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; [apply lt_0_INR; lia | exact HT] | apply IH; lia].
Qed.

(** A uniform position is a uniform pick. *)
Lemma sum_over_positions {A} (l : list A) (d : A) (g : A -> list A -> R) :
  sum_below (length l) (fun p => g (fst (taken d l (Z.to_nat p))) (snd (taken d l (Z.to_nat p))))
  = total_of (picks l) (fun p => g (fst p) (snd p)).
Proof.
  revert g. induction l as [|x l IH]; intros g; [reflexivity|].
  cbn [length picks total_of fst snd]. rewrite total_map. cbn [fst snd].
  rewrite <- (IH (fun a m => g a (x :: m))).
  replace (S (length l)) with (1 + length l)%nat by lia. rewrite sum_below_add.
  cbn [sum_below]. change (Z.to_nat (Z.of_nat 0)) with O. cbn [taken fst snd].
  rewrite Rplus_0_l. f_equal. apply sum_ext. intros p Hp.
  replace (Z.to_nat (Z.of_nat 1 + p)) with (S (Z.to_nat p)) by lia. cbn [taken].
  destruct (taken d l (Z.to_nat p)) as [a m]. reflexivity.
Qed.

Lemma taken_words l p : Forall (fun x => 0 <= x < 2 ^ 64)%Z l -> (p < length l)%nat ->
  (0 <= fst (taken 0%Z l p) < 2 ^ 64)%Z /\ Forall (fun x => 0 <= x < 2 ^ 64)%Z (snd (taken 0%Z l p)) /\
  length l = S (length (snd (taken 0%Z l p))).
Proof.
  intros F. revert p. induction F as [|x l Hx F IH]; intros p L; cbn [length] in L; [lia|].
  destruct p as [|p]; cbn [taken].
  - cbn. repeat split; try assumption; lia.
  - destruct (IH p ltac:(lia)) as (I1 & I2 & I3). destruct (taken 0%Z l p) as [a m]. cbn [fst snd length] in *.
    split; [exact I1|]. split; [constructor; assumption | lia].
Qed.

(** What a record's report weighs, in parts of the total. *)
Definition report_weight (r : response) (x y : Z) : R := IZR (response_entry r (w64 x) y).

Lemma expectation_of_chosen r m xs f : is_response r -> Forall (fun x => 0 <= x < 2 ^ 64)%Z xs ->
  (m <= length xs)%nat ->
  expectation (draw_chosen r m xs) f
  = total_of_vectors (Z.to_nat (r_count r)) m
      (fun v => weigh (report_weight r) v xs * f v)
    / ways (length xs) m (IZR (response_total r)).
Proof.
  intros Hr. revert xs f. induction m as [|m IH]; intros xs f F L.
  - cbn. field.
  - cbn [draw_chosen expectation ways total_of_vectors]. set (k := Z.to_nat (r_count r)).
    set (T := IZR (response_total r)).
    assert (HT : 0 < T) by (apply IZR_lt; apply response_total_exact; exact Hr).
    rewrite Nat2Z.id.
    assert (W : 0 < ways (length xs - 1) m T) by (apply ways_positive; [exact HT | lia]).
    assert (N : 0 < INR (length xs)) by (apply lt_0_INR; lia).
    rewrite <- INR_IZR_INZ.
    set (G := fun a (l : list Z) => sum_below k (fun y => report_weight r a y
               * (total_of_vectors k m (fun v => weigh (report_weight r) v l * f (y :: v))
                  / ways (length xs - 1) m T)) / T).
    rewrite (sum_ext _ _ (fun p => G (fst (taken 0%Z xs (Z.to_nat p))) (snd (taken 0%Z xs (Z.to_nat p))))).
    2: { intros p Hp. destruct (taken_words xs (Z.to_nat p) F ltac:(lia)) as (A1 & A2 & A3).
         destruct (taken 0%Z xs (Z.to_nat p)) as [a l]. cbn [fst snd] in *.
         rewrite expectation_bind, expectation_of_response by assumption. unfold G. fold k T. f_equal.
         apply sum_ext. intros y _. unfold report_weight at 1. rewrite (w64_small a) by assumption. f_equal. rewrite expectation_bind. cbn [expectation].
         rewrite IH by (try assumption; lia). fold k T. rewrite A3. cbn [Nat.sub]. rewrite Nat.sub_0_r. reflexivity. }
    rewrite sum_over_positions. unfold G.
    rewrite (total_ext _ _ (fun p => / (T * ways (length xs - 1) m T)
      * sum_below k (fun y => total_of_vectors k m (fun v => report_weight r (fst p) y
            * weigh (report_weight r) v (snd p) * f (y :: v))))).
    2: { intros p _. rewrite <- sum_scale. unfold Rdiv. rewrite Rmult_comm, <- sum_scale. apply sum_ext. intros y _.
         rewrite (total_of_vectors_ext k m (fun v => report_weight r (fst p) y
            * weigh (report_weight r) v (snd p) * f (y :: v))
            (fun v => report_weight r (fst p) y * (weigh (report_weight r) v (snd p) * f (y :: v))))
            by (intros; ring).
         rewrite total_of_vectors_scale. field. lra. }
    rewrite total_scale, <- sum_total_swap.
    rewrite (sum_ext k (fun y => total_of (picks xs) _) (fun y => total_of_vectors k m (fun v =>
      weigh (report_weight r) (y :: v) xs * f (y :: v)))).
    + field. lra.
    + intros y _. rewrite <- total_of_vectors_total. apply total_of_vectors_ext. intros v. cbn [weigh].
      rewrite Rmult_comm, <- total_scale. apply total_ext. intros p _. ring.
Qed.

Lemma proper_chosen r m xs : is_response r -> (m <= length xs)%nat -> (Z.of_nat (length xs) <= 2 ^ 40)%Z ->
  proper (draw_chosen r m xs).
Proof.
  intros Hr. revert xs. induction m as [|m IH]; intros xs L B; cbn [draw_chosen proper]; [trivial|].
  split; [lia|]. intros p Hp.
  assert (A : length xs = S (length (snd (taken 0%Z xs (Z.to_nat p))))).
  { assert (P : (Z.to_nat p < length xs)%nat) by lia. clear - P. revert P. generalize (Z.to_nat p).
    induction xs as [|x xs IH]; intros q P; cbn [length] in *; [lia|].
    destruct q as [|q]; cbn [taken]; [reflexivity|]. specialize (IH q ltac:(lia)).
    destruct (taken 0%Z xs q) as [a l]. cbn [snd length] in *. lia. }
  destruct (taken 0%Z xs (Z.to_nat p)) as [a l]. cbn [snd] in A.
  apply proper_bind; [apply proper_response; exact Hr|]. intros y.
  apply proper_bind; [apply IH; lia|]. intros; exact I.
Qed.

Lemma chosen_within e r m x x' l l' : is_response r -> is_bound (r_bound r) -> ebar (r_bound r) <= exp e ->
  Forall (fun x => 0 <= x < 2 ^ 64)%Z (l ++ x :: l') -> Forall (fun x => 0 <= x < 2 ^ 64)%Z (l ++ x' :: l') ->
  r_records r = Z.of_nat (length (l ++ x :: l')) -> r_chosen r = Z.of_nat m ->
  within_for_all e (draw_chosen r m (l ++ x :: l')) (draw_chosen r m (l ++ x' :: l')).
Proof.
  intros Hr Hb He F F' En Em f Hf.
  assert (Ln : length (l ++ x' :: l') = length (l ++ x :: l')) by (rewrite !app_length; reflexivity).
  pose proof Hr as (Hk & Hn & Hc & Ho & Hp & _ & Hl).
  rewrite !expectation_of_chosen by (try assumption; lia). rewrite Ln.
  set (T := IZR (response_total r)). set (k := Z.to_nat (r_count r)).
  set (q := report_weight r).
  assert (HT : 0 < T) by (apply IZR_lt; apply response_total_exact; exact Hr).
  assert (W : 0 < ways (length (l ++ x :: l')) m T) by (apply ways_positive; [exact HT | lia]).
  unfold Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; exact W|].
  rewrite <- total_of_vectors_scale. apply total_of_vectors_le. intros v Lv Fv.
  assert (E1 : 1 <= ebar (r_bound r)).
  { destruct Hb as (Hm & Hs & Hg). unfold ebar.
    assert (P : (0 < 2 ^ shift (r_bound r))%Z) by (apply two_power; lia).
    apply IZR_lt in P. assert (Q : IZR (2 ^ shift (r_bound r)) <= IZR (mantissa (r_bound r))) by (apply IZR_le; lia).
    apply Rmult_le_reg_r with (IZR (2 ^ shift (r_bound r))); [exact P|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [apply Hf|].
  apply Rle_trans with (ebar (r_bound r) * weigh q v (l ++ x' :: l')).
  2: { apply Rmult_le_compat_r; [|exact He]. apply weigh_nonneg with 0 (IZR (r_kept r)); [lra|].
       apply Forall_forall. intros y _ z. unfold q, report_weight, response_entry.
       destruct (y =? inside_of (r_count r) (w64 z))%Z; split; apply IZR_le; lia. }
  rewrite (weigh_permutation q v (l ++ x :: l') (x :: (l ++ l'))) by (symmetry; apply Permutation_middle).
  rewrite (weigh_permutation q v (l ++ x' :: l') (x' :: (l ++ l'))) by (symmetry; apply Permutation_middle).
  assert (Lr : S (length (l ++ l')) = length (l ++ x :: l')) by (rewrite !app_length; cbn [length]; lia).
  destruct (Z.eq_dec (r_count r) 1) as [C | C].
  - (* one outcome: every entry is K *)
    apply weigh_ratio with (IZR (r_kept r)) (IZR (r_kept r)); [apply IZR_lt; lia | exact E1 | |].
    + eapply Forall_impl; [|exact Fv]. intros y Hy z. unfold q, report_weight, response_entry. unfold k in Hy. rewrite C in *.
      assert (Ez : inside_of 1 (w64 z) = 0%Z).
      { pose proof (w64_range z). rewrite inside_exact by lia. destruct (Z.ltb_spec (w64 z) 1); lia. }
      rewrite Ez. replace y with 0%Z by (change (Z.of_nat (Z.to_nat 1)) with 1%Z in Hy; lia). cbn [Z.eqb]. lra.
    + rewrite Lr, Lv. assert (0 < IZR (r_kept r)) by (apply IZR_lt; lia).
      pose proof (pos_INR (length (l ++ x :: l'))).
      assert (0 <= INR (length (l ++ x :: l')) * IZR (r_kept r)) by (apply Rmult_le_pos; lra). nra.
  - destruct (Hl ltac:(lia)) as [Hl1 Hl2].
    apply weigh_ratio with (IZR (r_other r)) (IZR (r_kept r)); [apply IZR_lt; lia | exact E1 | |].
    + apply Forall_forall. intros y _ z. unfold q, report_weight, response_entry.
      destruct (y =? inside_of (r_count r) (w64 z))%Z; split; apply IZR_le; lia.
    + rewrite Lr, Lv, !INR_IZR_INZ, <- En, <- Em.
      rewrite <- minus_IZR, <- !mult_IZR, <- plus_IZR.
      apply (within_ebar (r_bound r)); [exact Hb | exact Hl2].
Qed.
