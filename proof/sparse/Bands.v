(** The band's lower bounds as runs: lower_before is a sum, and outcome_at a place. *)
From Coq Require Import ZArith List Bool Lia.
From Mollify Require Import random.Code random.Properties band.Code band.Properties band.Machine
  numerators.Code numerators.Settle numerators.Bands table.Code table.Properties
  channels.Code channels.Rows sparse.Code.
Import ListNotations.
Open Scope Z_scope.

Lemma firstn_plus (a b : nat) (l : list Z) : firstn (a + b) l = firstn a l ++ firstn b (skipn a l).
Proof.
  revert l. induction a as [|a IH]; intros l; [reflexivity|].
  destruct l as [|x l]; cbn [Nat.add firstn skipn app]; [destruct b; reflexivity | rewrite IH; reflexivity].
Qed.
Lemma sum_firstn_le l i j : Forall (fun x => 0 <= x) l -> (i <= j)%nat -> sum (firstn i l) <= sum (firstn j l).
Proof.
  intros F H. replace j with (i + (j - i))%nat by lia. rewrite firstn_plus, sum_app.
  assert (0 <= sum (firstn (j - i) (skipn i l))); [|lia]. apply sum_nonneg.
  apply Forall_forall. intros x Hx. rewrite Forall_forall in F. apply F.
  assert (I : In x (skipn i l)) by (rewrite <- (firstn_skipn (j - i) (skipn i l)); apply in_or_app; left; exact Hx).
  rewrite <- (firstn_skipn i l). apply in_or_app. right. exact I.
Qed.
Lemma sum_firstn_all l j : (length l <= j)%nat -> sum (firstn j l) = sum l.
Proof. intros H. rewrite firstn_all2 by exact H. reflexivity. Qed.
Lemma sum_firstn_S l i : sum (firstn (S i) l) = sum (firstn i l) + nth i l 0.
Proof.
  revert l. induction i as [|i IH]; intros [|x l]; cbn [firstn sum nth]; try lia.
  specialize (IH l). cbn [firstn] in IH. lia.
Qed.

(** A place by its sums. *)
Lemma place_by_sums l i p : Forall (fun x => 0 <= x) l -> (i < length l)%nat ->
  sum (firstn i l) <= p < sum (firstn (S i) l) -> place l p = i.
Proof.
  intros F. revert i p. induction F as [|x l Hx F IH]; intros i p L H; cbn [length] in L; [lia|].
  destruct i as [|i].
  - cbn [firstn sum place] in *. destruct (Z.leb_spec x p); [lia | reflexivity].
  - change (firstn (S i) (x :: l)) with (x :: firstn i l) in H.
    change (firstn (S (S i)) (x :: l)) with (x :: firstn (S i) l) in H. cbn [sum] in H.
    assert (0 <= sum (firstn i l)).
    { pose proof (sum_firstn_le l 0 i F ltac:(lia)). cbn [firstn sum] in *. lia. }
    cbn [place]. destruct (Z.leb_spec x p); [|lia]. f_equal. apply IH; lia.
Qed.
Lemma place_sums l p : Forall (fun x => 0 <= x) l -> 0 <= p < sum l ->
  sum (firstn (place l p) l) <= p < sum (firstn (S (place l p)) l) /\ (place l p < length l)%nat.
Proof.
  intros F H. split; [|apply place_range; exact H].
  revert p H. induction F as [|x l Hx F IH]; intros p H; cbn [sum] in H; [lia|].
  cbn [place]. destruct (Z.leb_spec x p).
  - specialize (IH (p - x) ltac:(lia)).
    change (firstn (S (place l (p - x))) (x :: l)) with (x :: firstn (place l (p - x)) l).
    change (firstn (S (S (place l (p - x)))) (x :: l)) with (x :: firstn (S (place l (p - x))) l).
    cbn [sum]. lia.
  - cbn [firstn sum]. lia.
Qed.

(** *** The prefix sums of a band. *)

(** What the factory makes: sums before each run of 64, and of all, which fit in words. *)
Definition is_prefix (p ls : list Z) : Prop :=
  length p = S ((length ls + 63) / kRun) /\
  forall r, (r < length p)%nat -> nth r p 0 = sum (firstn (r * kRun) ls).

Lemma prefix_is_prefix fuel l a : are_words l -> (length l <= fuel)%nat -> 0 <= a ->
  a + Z.of_nat (length l) * 2 ^ 64 < 2 ^ 128 -> a + sum l < 2 ^ 64 ->
  length (fst (prefix_sums fuel a l)) = S ((length l + 63) / kRun) /\
  forall r, (r < length (fst (prefix_sums fuel a l)))%nat ->
    nth r (fst (prefix_sums fuel a l)) 0 = a + sum (firstn (r * kRun) l).
Proof.
  revert l a. induction fuel as [|fuel IH]; intros [|x l] a H L Ha B Sm.
  - cbn [prefix_sums fst length]. split; [reflexivity|]. intros r Hr. replace r with O by lia.
    cbn. cbn in Sm. rewrite w64_small by lia. lia.
  - cbn in L. lia.
  - cbn [prefix_sums fst length]. split; [reflexivity|]. intros r Hr. replace r with O by lia.
    cbn. cbn in Sm. rewrite w64_small by lia. lia.
  - set (m := x :: l) in *.
    change (prefix_sums (S fuel) a m) with
      (let '(sums, all) := prefix_sums fuel (add128 a (sum_of (firstn kRun m))) (skipn kRun m) in
       (w64 a :: sums, all)).
    pose proof (firstn_skipn kRun m) as FS.
    assert (W : are_words (firstn kRun m) /\ are_words (skipn kRun m))
      by (unfold are_words in *; rewrite <- FS in H; apply Forall_app in H; exact H).
    destruct W as [W1 W2].
    pose proof (sum_bound _ (2 ^ 64) W1) as B1. pose proof (sum_bound _ (2 ^ 64) W2) as B2.
    assert (L1 : (length (firstn kRun m) <= 64)%nat) by apply firstn_le_length.
    assert (LL : (length m = length (firstn kRun m) + length (skipn kRun m))%nat)
      by (rewrite <- app_length, FS; reflexivity).
    assert (L0 : (1 <= length (firstn kRun m))%nat).
    { rewrite firstn_length. subst m. unfold kRun. cbn [length]. lia. }
    rewrite sum_of_exact by (try assumption; lia).
    assert (SS : sum m = sum (firstn kRun m) + sum (skipn kRun m)) by (rewrite <- sum_app, FS; reflexivity).
    rewrite add128_exact by lia.
    specialize (IH (skipn kRun m) (a + sum (firstn kRun m)) W2 ltac:(lia) ltac:(lia) ltac:(lia) ltac:(lia)).
    destruct (prefix_sums fuel (a + sum (firstn kRun m)) (skipn kRun m)) as [sums all].
    cbn [fst length] in *. destruct IH as (I1 & I2).
    assert (Lm : ((length m + 63) / kRun = S ((length (skipn kRun m) + 63) / kRun))%nat).
    { unfold kRun in *. rewrite skipn_length in *. rewrite firstn_length in *.
      destruct (Nat.le_gt_cases 64 (length m)).
      - replace (length m + 63)%nat with (length m - 64 + 63 + 1 * 64)%nat by lia.
        rewrite Nat.div_add by lia. lia.
      - replace (length m - 64)%nat with O by lia. cbn [Nat.add].
        replace ((length m + 63) / 64)%nat with 1%nat; [reflexivity|].
        apply Nat.div_unique with (length m - 1)%nat; [lia|]. unfold m in *. cbn [length] in *. lia. }
    split; [rewrite I1, Lm; reflexivity|].
    intros [|r] Hr; cbn [nth].
    + cbn [Nat.mul firstn sum]. assert (0 <= sum m) by lia. rewrite w64_small by lia. lia.
    + rewrite I2 by lia. cbn [Nat.mul]. rewrite firstn_plus, sum_app. lia.
Qed.

(** A band whose sums are right: what both factories hand out. *)
Definition has_sums (b : band) : Prop :=
  Forall (fun x => 0 <= x) (lowers b) /\ sum (lowers b) <= 2 ^ 62 /\
  (1 <= length (lowers b))%nat /\ Z.of_nat (length (lowers b)) <= 2 ^ 24 /\
  if is_uniform b then lowers b = repeat (hd 0 (lowers b)) (length (lowers b))
  else is_prefix (prefix b) (lowers b).

Lemma sum_firstn_repeat x n i : (i <= n)%nat -> sum (firstn i (repeat x n)) = x * Z.of_nat i.
Proof.
  revert i. induction n as [|n IH]; intros [|i] H; cbn [repeat firstn sum]; try lia.
  rewrite IH by lia. lia.
Qed.
Lemma repeat_range x n : Forall (fun x => 0 <= x) (repeat x n) -> (1 <= n)%nat -> 0 <= x.
Proof. intros F H. destruct n; [lia|]. cbn [repeat] in F. inversion F. assumption. Qed.

Lemma lower_before_exact b i : has_sums b -> (i <= length (lowers b))%nat ->
  lower_before b i = sum (firstn i (lowers b)).
Proof.
  intros (F & Sm & L1 & L2 & U) Hi. unfold lower_before.
  pose proof (sum_firstn_le _ i (length (lowers b)) F Hi) as Q.
  rewrite (sum_firstn_all _ (length (lowers b))) in Q by lia.
  pose proof (sum_firstn_le _ 0 i F ltac:(lia)) as Q0. cbn [firstn sum] in Q0.
  destruct (is_uniform b).
  - set (x := hd 0 (lowers b)) in *. set (k := length (lowers b)) in *. clearbody x k.
    rewrite U in Q, Q0, Sm |- *. rewrite sum_firstn_repeat in * by exact Hi. apply mul64_exact. lia.
  - destruct U as [P1 P2]. unfold kRun in *.
    pose proof (Nat.div_mod i 64 ltac:(lia)) as D. pose proof (Nat.mod_upper_bound i 64 ltac:(lia)) as M.
    assert (R : (i / 64 < length (prefix b))%nat).
    { rewrite P1. apply Nat.lt_succ_r. apply Nat.div_le_mono; lia. }
    rewrite P2 by exact R.
    replace (i - i mod 64)%nat with (i / 64 * 64)%nat by lia.
    set (a := (i / 64 * 64)%nat) in *. set (c := (i mod 64)%nat) in *.
    assert (E : sum (firstn i (lowers b)) = sum (firstn a (lowers b)) + sum (firstn c (skipn a (lowers b)))).
    { replace i with (a + c)%nat by lia. rewrite firstn_plus, sum_app. reflexivity. }
    pose proof (sum_firstn_le _ 0 a F ltac:(lia)) as Qa. cbn [firstn sum] in Qa.
    rewrite <- (w64_small (sum (firstn a (lowers b)))) at 1.
    + rewrite fold_add64, E. apply w64_small. lia.
    + pose proof (sum_firstn_le _ a i F ltac:(lia)). lia.
Qed.

Lemma upper_bound_by_sums p l pos u : (u < length p)%nat ->
  (forall r, (r < u)%nat -> nth r p 0 <= pos) -> pos < nth u p 0 -> l = p -> upper_bound l pos = u.
Proof.
  intros L H G ->. revert u L H G. induction p as [|x p IH]; intros u L H G; cbn [length] in L; [lia|].
  cbn [upper_bound]. destruct u as [|u].
  - cbn [nth] in G. destruct (Z.ltb_spec pos x); [reflexivity | lia].
  - pose proof (H O ltac:(lia)) as H0. cbn [nth] in H0. destruct (Z.ltb_spec pos x); [lia|].
    f_equal. apply IH; [lia | | exact G]. intros r Hr. apply (H (S r)). lia.
Qed.

Lemma outcome_at_exact b p : has_sums b -> 0 <= p < sum (lowers b) ->
  band_outcome_at b p = place (lowers b) p.
Proof.
  intros (F & Sm & L1 & L2 & U) Hp. unfold band_outcome_at.
  destruct (place_sums (lowers b) p F Hp) as [[B1 B2] B3].
  set (i := place (lowers b) p) in *. destruct (is_uniform b).
  - clearbody i. set (x := hd 0 (lowers b)) in *. set (k := length (lowers b)) in *. clearbody x k.
    rewrite U in B1, B2, F. rewrite sum_firstn_repeat in B1, B2 by lia.
    pose proof (repeat_range _ _ F L1).
    assert (E : p / x = Z.of_nat i).
    { symmetry. apply Z.div_unique with (p - x * Z.of_nat i); [left; lia | lia]. }
    rewrite E. apply Nat2Z.id.
  - destruct U as [P1 P2]. unfold kRun in *. set (run := (i / 64)%nat).
    pose proof (Nat.div_mod i 64 ltac:(lia)) as D. pose proof (Nat.mod_upper_bound i 64 ltac:(lia)) as M.
    fold run in D.
    assert (R : (S run < length (prefix b))%nat).
    { rewrite P1. apply -> Nat.succ_lt_mono. unfold run.
      apply Nat.lt_le_trans with (S (i / 64)); [lia|].
      replace (S (i / 64)) with ((i + 1 * 64) / 64)%nat by (rewrite Nat.div_add by lia; lia).
      apply Nat.div_le_mono; lia. }
    assert (Eu : upper_bound (prefix b) p = S run).
    { apply (upper_bound_by_sums (prefix b)); [exact R | | | reflexivity].
      - intros r Hr. rewrite P2 by lia. pose proof (sum_firstn_le (lowers b) (r * 64) i F ltac:(lia)). lia.
      - rewrite P2 by exact R. pose proof (sum_firstn_le (lowers b) (S i) (S run * 64) F ltac:(lia)). lia. }
    rewrite Eu. cbn [Nat.sub]. rewrite Nat.sub_0_r. rewrite P2 by lia.
    set (first := (run * 64)%nat) in *.
    pose proof (sum_firstn_le (lowers b) first i F ltac:(lia)) as Q.
    pose proof (sum_firstn_le (lowers b) 0 first F ltac:(lia)) as Q0. cbn [firstn sum] in Q0.
    rewrite sub64_exact by lia.
    assert (SS : sum (lowers b) = sum (firstn first (lowers b)) + sum (skipn first (lowers b)))
      by (rewrite <- sum_app, firstn_skipn; reflexivity).
    assert (Ru : are_runs (skipn first (lowers b))).
    { split; [|lia]. apply Forall_forall. intros x Hx. rewrite Forall_forall in F. apply F.
      rewrite <- (firstn_skipn first (lowers b)). apply in_or_app. right. exact Hx. }
    rewrite one_by_one_exact by (try exact Ru; lia).
    assert (Rf : are_runs (firstn first (lowers b))).
    { split; [|lia]. apply Forall_forall. intros x Hx. rewrite Forall_forall in F. apply F.
      rewrite <- (firstn_skipn first (lowers b)). apply in_or_app. left. exact Hx. }
    transitivity (place (firstn first (lowers b) ++ skipn first (lowers b)) p).
    + rewrite place_beyond by (try exact Rf; lia). rewrite firstn_length. f_equal. lia.
    + rewrite firstn_skipn. reflexivity.
Qed.

Lemma make_has_sums lowers bound total b : is_bound bound -> are_words lowers ->
  make lowers bound total = Some b -> has_sums b.
Proof.
  intros Hb Hw E. pose proof (make_valid lowers bound total b Hb Hw E) as V. unfold make in E.
  destruct (is_shape (Z.of_nat (length lowers)) total) eqn:Sh; [|discriminate E].
  apply shape_true in Sh. destruct Sh as [Hk Ht].
  destruct (prefix_sums (length lowers) 0 lowers) as [p all] eqn:Ep.
  destruct (has_room _ _ _); [|discriminate E]. injection E as <-.
  destruct V as (_ & _ & F & Sm & _). cbn in F, Sm. unfold has_sums. cbn.
  assert (F0 : Forall (fun x => 0 <= x) lowers) by (eapply Forall_impl; [|exact F]; cbn; lia).
  split; [exact F0|]. split; [lia|]. split; [lia|]. split; [lia|].
  pose proof (prefix_is_prefix (length lowers) lowers 0 Hw ltac:(lia) ltac:(lia) ltac:(lia) ltac:(lia)) as P.
  rewrite Ep in P. exact P.
Qed.
Lemma make_uniform_has_sums count lower bound total b : is_bound bound -> 0 <= lower < 2 ^ 64 ->
  make_uniform count lower bound total = Some b -> has_sums b.
Proof.
  intros Hb Hl E. pose proof (make_uniform_valid count lower bound total b Hb Hl E) as V.
  unfold make_uniform in E. destruct (is_shape (Z.of_nat count) total) eqn:Sh; [|discriminate E].
  apply shape_true in Sh. destruct Sh as [Hk Ht]. destruct (has_room _ _ _); [|discriminate E].
  cbn [andb] in E. injection E as <-. destruct V as (_ & _ & F & Sm & _). cbn in F, Sm. unfold has_sums. cbn.
  rewrite repeat_length. split; [eapply Forall_impl; [|exact F]; cbn; lia|]. split; [lia|].
  split; [lia|]. split; [lia|]. destruct count; [lia | reflexivity].
Qed.
