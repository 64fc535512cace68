(** Sparse tables: the law, and its distance from the reference and from any other table. *)
From Coq Require Import ZArith List Bool Lia Sorted Reals Lra Psatz.
From Mollify Require Import random.Code random.Properties law.Code law.Properties
  band.Code band.Properties band.Machine numerators.Code numerators.Settle numerators.Properties numerators.Bands
  table.Code table.Properties privacy.Properties channels.Code channels.Rows channels.Chosen sparse.Code sparse.Bands.
Import ListNotations.
Open Scope Z_scope.

(** *** The scored outcomes. *)

Definition lower_of_outcome (b : band) (t : Z) : Z := nth (Z.to_nat t) (lowers b) 0.
Definition before_by (before : Z) (scored : list Z) (j : nat) : Z := before + sum (firstn j scored).

Lemma lower_nonneg b i : has_sums b -> 0 <= nth i (lowers b) 0.
Proof.
  intros (F & _). destruct (Nat.lt_ge_cases i (length (lowers b))) as [L | L].
  - rewrite Forall_forall in F. apply F. apply nth_In. exact L.
  - rewrite nth_overflow by exact L. lia.
Qed.

Lemma taken_spec b outcomes : has_sums b -> forall least before,
  0 <= least -> 0 <= before ->
  before + sum (lowers b) - sum (firstn (Z.to_nat least) (lowers b)) <= 2 ^ 62 ->
  let '(taken, scored, befores, all) :=
    taken_outcomes b (Z.of_nat (length (lowers b))) least before outcomes in
  Forall (fun t => least <= t < Z.of_nat (length (lowers b))) taken /\ StronglySorted Z.lt taken /\
  scored = map (lower_of_outcome b) taken /\ length befores = length taken /\
  (forall j, (j < length taken)%nat -> nth j befores 0 = before_by before scored j) /\
  all = before + sum scored /\
  all <= before + sum (lowers b) - sum (firstn (Z.to_nat least) (lowers b)).
Proof.
  intros Hs. pose proof Hs as (F & Sm & L1 & L2 & _).
  induction outcomes as [|o outcomes IH]; intros least before Hl Hb Hr; cbn [taken_outcomes].
  - repeat split; try constructor; cbn; try lia.
    pose proof (sum_firstn_le (lowers b) (Z.to_nat least) (Nat.max (Z.to_nat least) (length (lowers b))) F ltac:(lia)) as Q.
    rewrite (sum_firstn_all _ (Nat.max _ _)) in Q by lia. lia.
  - destruct (Z.ltb_spec o least); cbn [orb]; [apply IH; assumption|].
    destruct (Z.leb_spec (Z.of_nat (length (lowers b))) o); [apply IH; assumption|].
    fold (lower_of_outcome b o).
    pose proof (sum_firstn_S (lowers b) (Z.to_nat o)) as Q. fold (lower_of_outcome b o) in Q.
    pose proof (lower_nonneg b (Z.to_nat o) Hs) as P. fold (lower_of_outcome b o) in P.
    pose proof (sum_firstn_le (lowers b) (Z.to_nat least) (Z.to_nat o) F ltac:(lia)) as Q2.
    pose proof (sum_firstn_le (lowers b) (S (Z.to_nat o)) (length (lowers b)) F ltac:(lia)) as Q3.
    rewrite (sum_firstn_all _ (length _)) in Q3 by lia.
    assert (E : Z.to_nat (o + 1) = S (Z.to_nat o)) by lia.
    set (w := lower_of_outcome b o) in *.
    rewrite add64_exact by lia.
    specialize (IH (o + 1) (before + w) ltac:(lia) ltac:(lia)). rewrite E in IH.
    specialize (IH ltac:(lia)).
    destruct (taken_outcomes b _ (o + 1) (before + w) outcomes) as [[[taken scored] befores] all].
    destruct IH as (I1 & I2 & I3 & I4 & I5 & I6 & I7).
    split; [|split; [|split; [|split; [|split; [|split]]]]].
    + constructor; [lia|]. eapply Forall_impl; [|exact I1]. cbn. lia.
    + constructor; [exact I2|]. eapply Forall_impl; [|exact I1]. cbn. lia.
    + cbn [map]. fold w. rewrite I3. reflexivity.
    + cbn [length]. lia.
    + intros [|j] Hj; cbn [nth].
      * unfold before_by. cbn. lia.
      * cbn [length] in Hj. rewrite I5 by lia. unfold before_by. cbn [firstn sum]. lia.
    + cbn [sum]. lia.
    + lia.
Qed.

(** The lower bounds of the outcomes without a score: 0 for the others. *)
Definition is_scored (taken : list Z) (i : nat) : bool := existsb (Z.eqb (Z.of_nat i)) taken.
Definition unscored (b : band) (taken : list Z) : list Z :=
  map (fun i => if is_scored taken i then 0 else nth i (lowers b) 0) (seq 0 (length (lowers b))).
Definition scored_before (b : band) (taken : list Z) (i : nat) : Z :=
  sum (map (fun t => if t <? Z.of_nat i then lower_of_outcome b t else 0) taken).

Lemma unscored_length b taken : length (unscored b taken) = length (lowers b).
Proof. unfold unscored. rewrite map_length, seq_length. reflexivity. Qed.
Lemma unscored_nth b taken i : (i < length (lowers b))%nat ->
  nth i (unscored b taken) 0 = if is_scored taken i then 0 else nth i (lowers b) 0.
Proof.
  intros L. unfold unscored.
  set (g := fun i => if is_scored taken i then 0 else nth i (lowers b) 0).
  rewrite (nth_indep _ 0 (g 0%nat)) by (rewrite map_length, seq_length; exact L).
  rewrite (map_nth g), seq_nth by exact L. reflexivity.
Qed.
Lemma unscored_nonneg b taken : has_sums b -> Forall (fun x => 0 <= x) (unscored b taken).
Proof.
  intros Hs. apply Forall_forall. intros x Hx. unfold unscored in Hx. apply in_map_iff in Hx.
  destruct Hx as (i & <- & _). destruct (is_scored taken i); [lia | apply lower_nonneg; exact Hs].
Qed.

Lemma scored_step b taken i : StronglySorted Z.lt taken ->
  scored_before b taken (S i) = scored_before b taken i
                                + if is_scored taken i then nth i (lowers b) 0 else 0.
Proof.
  intros S. unfold scored_before, is_scored. induction S as [|t taken S IH H]; cbn [map sum existsb]; [lia|].
  rewrite IH. destruct (Z.eqb_spec (Z.of_nat i) t) as [<- | N]; cbn [orb].
  - assert (E : existsb (Z.eqb (Z.of_nat i)) taken = false).
    { destruct (existsb _ taken) eqn:X; [|reflexivity]. apply existsb_exists in X. destruct X as (u & U & E).
      apply Z.eqb_eq in E. subst u. rewrite Forall_forall in H. specialize (H _ U). lia. }
    rewrite E. unfold lower_of_outcome. rewrite Nat2Z.id.
    destruct (Z.ltb_spec (Z.of_nat i) (Z.of_nat (Datatypes.S i))), (Z.ltb_spec (Z.of_nat i) (Z.of_nat i)); lia.
  - destruct (Z.ltb_spec t (Z.of_nat (Datatypes.S i))), (Z.ltb_spec t (Z.of_nat i)); lia.
Qed.
Lemma split_sums b taken i : StronglySorted Z.lt taken -> Forall (fun t => 0 <= t) taken ->
  (i <= length (lowers b))%nat ->
  sum (firstn i (lowers b)) = sum (firstn i (unscored b taken)) + scored_before b taken i.
Proof.
  intros S F. induction i as [|i IH]; intros L.
  - cbn [firstn sum]. unfold scored_before. clear S. induction F as [|t l Ht F IH]; cbn [map sum]; [lia|].
    destruct (Z.ltb_spec t (Z.of_nat 0)); lia.
  - rewrite !sum_firstn_S, scored_step, unscored_nth by (assumption || lia).
    specialize (IH ltac:(lia)). destruct (is_scored taken i); lia.
Qed.

(** The number of scored outcomes before i; their sums come first, as they ascend. *)
Fixpoint number_before (taken : list Z) (i : nat) : nat :=
  match taken with
  | [] => O
  | t :: taken => if t <? Z.of_nat i then S (number_before taken i) else O
  end.
Lemma scored_by_number b taken i : StronglySorted Z.lt taken ->
  scored_before b taken i = sum (firstn (number_before taken i) (map (lower_of_outcome b) taken)) /\
  (number_before taken i <= length taken)%nat.
Proof.
  intros S. unfold scored_before. induction S as [|t taken S [IH1 IH2] H]; cbn [map sum number_before length]; [cbn; lia|].
  destruct (Z.ltb_spec t (Z.of_nat i)).
  - cbn [firstn sum]. rewrite IH1. lia.
  - cbn [firstn sum]. split; [|lia].
    assert (Z0 : forall l, Forall (Z.lt t) l -> sum (map (fun t => if t <? Z.of_nat i then lower_of_outcome b t else 0) l) = 0).
    { clear - H0. intros l F. induction F as [|u l Hu F IH]; cbn [map sum]; [reflexivity|].
      destruct (Z.ltb_spec u (Z.of_nat i)); lia. }
    rewrite Z0 by exact H. lia.
Qed.

(** *** Where an unscored position is. *)

(** What `take` makes of any outcomes. *)
Definition is_sparse (b : band) (s : sparse) : Prop := exists outcomes, s = take b outcomes.

Record sparse_facts (b : band) (s : sparse) : Prop := {
  f_range : Forall (fun t => 0 <= t < Z.of_nat (length (lowers b))) (s_outcomes s);
  f_sorted : StronglySorted Z.lt (s_outcomes s);
  f_lowers : s_lowers s = map (lower_of_outcome b) (s_outcomes s) ++ [sum (unscored b (s_outcomes s))];
  f_before : forall j, (j <= length (s_outcomes s))%nat ->
    nth j (s_before s) 0 = sum (firstn j (map (lower_of_outcome b) (s_outcomes s)));
  f_length : length (s_before s) = S (length (s_outcomes s))
}.

Lemma sparse_has_facts b s : has_sums b -> is_sparse b s -> sparse_facts b s.
Proof.
  intros Hs (outcomes & ->). pose proof Hs as (F & Sm & L1 & L2 & _). unfold take.
  pose proof (taken_spec b outcomes Hs 0 0 ltac:(lia) ltac:(lia)) as T.
  change (Z.to_nat 0) with O in T. cbn [firstn sum] in T. specialize (T ltac:(lia)).
  destruct (taken_outcomes b _ 0 0 outcomes) as [[[taken scored] befores] all].
  destruct T as (T1 & T2 & T3 & T4 & T5 & T6 & T7).
  assert (P : Forall (fun t => 0 <= t) taken) by (eapply Forall_impl; [|exact T1]; cbn; lia).
  assert (Su : sum (lowers b) = sum (unscored b taken) + sum scored).
  { pose proof (split_sums b taken (length (lowers b)) T2 P ltac:(lia)) as Q.
    rewrite (sum_firstn_all (lowers b)) in Q by lia.
    rewrite (sum_firstn_all (unscored b taken)) in Q by (rewrite unscored_length; lia).
    rewrite Q, T3. f_equal. unfold scored_before. f_equal. apply map_ext_in. intros t Ht.
    rewrite Forall_forall in T1. specialize (T1 t Ht). cbv beta in T1.
    destruct (Z.ltb_spec t (Z.of_nat (length (lowers b)))); [reflexivity | lia]. }
  assert (A0 : 0 <= sum (unscored b taken)) by (apply sum_nonneg, unscored_nonneg; exact Hs).
  assert (A1 : 0 <= sum scored).
  { rewrite T3. apply sum_nonneg. apply Forall_forall. intros x Hx. apply in_map_iff in Hx.
    destruct Hx as (t & <- & _). apply lower_nonneg. exact Hs. }
  constructor; cbn [s_outcomes s_lowers s_before].
  - exact T1.
  - exact T2.
  - rewrite <- T3. do 2 f_equal. rewrite lower_before_exact by (try exact Hs; lia).
    rewrite sum_firstn_all by lia. rewrite sub64_exact by lia. lia.
  - intros j Hj. destruct (Nat.lt_ge_cases j (length taken)) as [L | L].
    + rewrite app_nth1 by lia. rewrite T5 by exact L. rewrite <- T3. reflexivity.
    + replace j with (length befores) by lia. rewrite app_nth2, Nat.sub_diag by lia. cbn [nth].
      rewrite T4, T6, <- T3. rewrite firstn_all2 by (rewrite T3, map_length; lia). lia.
  - rewrite app_length. cbn [length]. lia.
Qed.

Lemma sorted_skips (taken : list Z) i : StronglySorted Z.lt taken ->
  forall j, (j < number_before taken i)%nat -> nth j taken 0 < Z.of_nat i.
Proof.
  intros S. induction S as [|t taken S IH H]; intros j Hj; cbn [number_before] in Hj; [lia|].
  destruct (Z.ltb_spec t (Z.of_nat i)); [|lia]. destruct j as [|j]; cbn [nth]; [assumption | apply IH; lia].
Qed.

(** The walk stops in front of the first scored outcome beyond i. *)
Lemma stepped_over_exact b i p all : has_sums b -> (i < length (lowers b))%nat ->
  StronglySorted Z.lt all -> Forall (fun t => 0 <= t < Z.of_nat (length (lowers b))) all ->
  is_scored all i = false ->
  sum (firstn i (unscored b all)) <= p < sum (firstn (S i) (unscored b all)) ->
  forall done rest befores, all = done ++ rest -> (length rest <= length befores)%nat ->
  (forall j, (j < length rest)%nat -> nth j befores 0 = scored_before b all (Z.to_nat (nth j rest 0))) ->
  stepped_over b rest befores p = number_before rest i.
Proof.
  intros Hs Hi S R N Hp. pose proof (unscored_nonneg b all Hs) as Fu.
  assert (Fa : Forall (fun t => 0 <= t) all) by (eapply Forall_impl; [|exact R]; cbn; lia).
  intros done rest. revert done. induction rest as [|t rest IH]; intros done befores E L B; [reflexivity|].
  cbn [length] in L. destruct befores as [|before befores]; [cbn in L; lia|]. cbn [stepped_over number_before].
  assert (I : In t all) by (rewrite E; apply in_or_app; right; left; reflexivity).
  assert (Rt : 0 <= t < Z.of_nat (length (lowers b))) by (rewrite Forall_forall in R; apply R; exact I).
  assert (Nt : t <> Z.of_nat i).
  { intros ->. unfold is_scored in N. assert (X : existsb (Z.eqb (Z.of_nat i)) all = true); [|congruence].
    apply existsb_exists. exists (Z.of_nat i). split; [exact I | apply Z.eqb_refl]. }
  pose proof (B O ltac:(cbn; lia)) as B0. cbn [nth] in B0. rewrite B0.
  rewrite lower_before_exact by (try exact Hs; lia).
  rewrite (split_sums b all (Z.to_nat t) S Fa ltac:(lia)).
  assert (U0 : 0 <= sum (firstn (Z.to_nat t) (unscored b all)) <= 2 ^ 62).
  { pose proof (sum_firstn_le _ 0 (Z.to_nat t) Fu ltac:(lia)) as Q. cbn [firstn sum] in Q.
    pose proof (split_sums b all (Z.to_nat t) S Fa ltac:(lia)) as Q2.
    pose proof Hs as (F & Sm & _).
    pose proof (sum_firstn_le (lowers b) (Z.to_nat t) (length (lowers b)) F ltac:(lia)) as Q3.
    rewrite (sum_firstn_all _ (length _)) in Q3 by lia.
    assert (0 <= scored_before b all (Z.to_nat t)); [|lia].
    unfold scored_before. apply sum_nonneg. apply Forall_forall. intros x Hx. apply in_map_iff in Hx.
    destruct Hx as (u & <- & _). destruct (u <? Z.of_nat (Z.to_nat t)); [apply lower_nonneg; exact Hs | lia]. }
  rewrite sub64_exact by lia.
  replace (sum (firstn (Z.to_nat t) (unscored b all)) + scored_before b all (Z.to_nat t)
           - scored_before b all (Z.to_nat t)) with (sum (firstn (Z.to_nat t) (unscored b all))) by lia.
  destruct (Z.ltb_spec t (Z.of_nat i)) as [Lt | Ge].
  - pose proof (sum_firstn_le _ (Z.to_nat t) i Fu ltac:(lia)) as Q.
    destruct (Z.leb_spec (sum (firstn (Z.to_nat t) (unscored b all))) p); [|lia].
    f_equal. apply (IH (done ++ [t])).
    + rewrite <- app_assoc. exact E.
    + cbn [length] in L. lia.
    + intros j Hj. apply (B (Datatypes.S j)). cbn [length]. lia.
  - pose proof (sum_firstn_le _ (Datatypes.S i) (Z.to_nat t) Fu ltac:(lia)) as Q.
    destruct (Z.leb_spec (sum (firstn (Z.to_nat t) (unscored b all))) p); [lia | reflexivity].
Qed.

Lemma number_at (taken : list Z) j : StronglySorted Z.lt taken -> Forall (fun t => 0 <= t) taken ->
  (j < length taken)%nat -> number_before taken (Z.to_nat (nth j taken 0)) = j.
Proof.
  intros S. revert j. induction S as [|t taken S IH H]; intros j F L; cbn [length] in L; [lia|].
  inversion F as [|? ? Ht F']; subst. destruct j as [|j]; cbn [nth number_before].
  - rewrite Z2Nat.id by exact Ht. destruct (Z.ltb_spec t t); [lia | reflexivity].
  - assert (I : In (nth j taken 0) taken) by (apply nth_In; lia).
    rewrite Forall_forall in H. specialize (H _ I).
    rewrite Z2Nat.id by lia. destruct (Z.ltb_spec t (nth j taken 0)); [|lia].
    f_equal. rewrite <- (Z2Nat.id (nth j taken 0)) at 1 by lia. rewrite Nat2Z.id. apply IH; [exact F' | lia].
Qed.

Theorem locate_unscored_exact b s p : has_sums b -> sparse_facts b s ->
  0 <= p < sum (unscored b (s_outcomes s)) ->
  locate_unscored b s p = place (unscored b (s_outcomes s)) p.
Proof.
  intros Hs [R So Lo Be Le] Hp. pose proof Hs as (F & Sm & L1 & L2 & _).
  set (all := s_outcomes s) in *. pose proof (unscored_nonneg b all Hs) as Fu.
  assert (Fa : Forall (fun t => 0 <= t) all) by (eapply Forall_impl; [|exact R]; cbn; lia).
  destruct (place_sums _ p Fu Hp) as [[B1 B2] B3]. rewrite unscored_length in B3.
  set (i := place (unscored b all) p) in *. clearbody i.
  assert (N : is_scored all i = false).
  { rewrite sum_firstn_S, unscored_nth in B2 by exact B3. destruct (is_scored all i); [lia | reflexivity]. }
  unfold locate_unscored. fold all.
  rewrite (stepped_over_exact b i p all Hs B3 So R N (conj B1 B2) [] all (s_before s) eq_refl); [|lia|].
  2: { intros j Hj. rewrite Be by lia. pose proof (scored_by_number b all (Z.to_nat (nth j all 0)) So) as [Q _].
       rewrite Q, number_at by assumption. reflexivity. }
  destruct (scored_by_number b all i So) as [Q1 Q2]. rewrite Be by exact Q2. rewrite <- Q1.
  pose proof (split_sums b all i So Fa ltac:(lia)) as Si.
  pose proof (split_sums b all (S i) So Fa ltac:(lia)) as Ss.
  rewrite scored_step, N, Z.add_0_r in Ss by exact So.
  pose proof (sum_firstn_le (lowers b) 0 i F ltac:(lia)) as Z0. cbn [firstn sum] in Z0.
  pose proof (sum_firstn_le (lowers b) (S i) (length (lowers b)) F ltac:(lia)) as Z1.
  rewrite (sum_firstn_all _ (length _)) in Z1 by lia.
  assert (A0 : 0 <= scored_before b all i).
  { unfold scored_before. apply sum_nonneg. apply Forall_forall. intros x Hx. apply in_map_iff in Hx.
    destruct Hx as (u & <- & _). destruct (u <? Z.of_nat i); [apply lower_nonneg; exact Hs | lia]. }
  rewrite add64_exact by lia. rewrite outcome_at_exact by (try exact Hs; lia).
  apply place_by_sums; [exact F | exact B3 | lia].
Qed.

(** *** Sums over all outcomes, split. *)
Open Scope R_scope.

Lemma total_at (i : nat) n h : (i < n)%nat ->
  total_of (seq 0 n) (fun j => if Nat.eqb j i then h j else 0) = h i.
Proof.
  intros L. assert (G : forall m a, total_of (seq a m) (fun j => if Nat.eqb j i then h j else 0)
                        = if (Nat.leb a i && Nat.ltb i (a + m))%bool then h i else 0).
  { induction m as [|m IH]; intros a; cbn [seq total_of].
    - destruct (Nat.leb_spec a i), (Nat.ltb_spec i (a + 0)); cbn [andb]; try reflexivity; lia.
    - rewrite IH. destruct (Nat.eqb_spec a i) as [->|].
      + destruct (Nat.leb_spec (S i) i), (Nat.leb_spec i i), (Nat.ltb_spec i (i + S m)),
          (Nat.ltb_spec i (S i + m)); cbn [andb]; try lia; lra.
      + destruct (Nat.leb_spec (S a) i), (Nat.leb_spec a i), (Nat.ltb_spec i (S a + m)),
          (Nat.ltb_spec i (a + S m)); cbn [andb]; try lia; lra. }
  rewrite G. destruct (Nat.leb_spec 0 i), (Nat.ltb_spec i (0 + n)); cbn [andb]; try lia. reflexivity.
Qed.

Lemma total_split (taken : list Z) n (h : nat -> R) : StronglySorted Z.lt taken ->
  Forall (fun t => (0 <= t < Z.of_nat n)%Z) taken ->
  total_of (seq 0 n) h
  = total_of (seq 0 n) (fun i => if is_scored taken i then 0 else h i)
    + total_of taken (fun t => h (Z.to_nat t)).
Proof.
  intros S R.
  rewrite (total_ext taken _ (fun t => total_of (seq 0 n) (fun j => if Nat.eqb j (Z.to_nat t) then h j else 0))).
  2: { intros t Ht. rewrite Forall_forall in R. specialize (R t Ht). rewrite total_at by lia. reflexivity. }
  rewrite total_swap, <- total_plus. apply total_ext. intros i _. clear - S R.
  induction S as [|t taken S IH H]; unfold is_scored; cbn [existsb total_of]; [lra|].
  inversion R as [|? ? Rt R']; subst. specialize (IH R'). unfold is_scored in IH.
  destruct (Z.eqb_spec (Z.of_nat i) t) as [E | N]; cbn [orb].
  - assert (X : existsb (Z.eqb (Z.of_nat i)) taken = false).
    { destruct (existsb _ taken) eqn:X; [|reflexivity]. apply existsb_exists in X. destruct X as (u & U & Eu).
      apply Z.eqb_eq in Eu. rewrite Forall_forall in H. specialize (H _ U). lia. }
    rewrite X in IH. destruct (Nat.eqb_spec i (Z.to_nat t)); [lra | lia].
  - destruct (Nat.eqb_spec i (Z.to_nat t)); [lia | lra].
Qed.

Lemma weighted_as_total l (f : nat -> R) : weighted 0 l f = total_of (seq 0 (length l)) (fun i => IZR (nth i l 0%Z) * f i).
Proof.
  assert (G : forall l i, weighted i l f = total_of (seq i (length l)) (fun j => IZR (nth (j - i) l 0%Z) * f j)).
  { clear. induction l as [|n l IH]; intros i; cbn [weighted length seq total_of]; [reflexivity|].
    rewrite Nat.sub_diag. cbn [nth]. f_equal. rewrite IH. apply total_ext. intros j Hj. apply in_seq in Hj.
    replace (j - i)%nat with (S (j - S i)) by lia. reflexivity. }
  rewrite G. apply total_ext. intros j _. rewrite Nat.sub_0_r. reflexivity.
Qed.
Lemma weighted_app i l m f : weighted i (l ++ m) f = weighted i l f + weighted (i + length l) m f.
Proof.
  revert i. induction l as [|n l IH]; intros i; cbn [app weighted length].
  - rewrite Nat.add_0_r. lra.
  - rewrite IH. replace (i + S (length l))%nat with (S i + length l)%nat by lia. lra.
Qed.
Lemma weighted_below i ls ns f : Forall2 (fun l n => (l <= n)%Z) ls ns -> (forall j, 0 <= f j) ->
  weighted i ls f <= weighted i ns f.
Proof.
  intros H Hf. revert i. induction H as [|l n ls ns Hl H IH]; intros i; cbn [weighted]; [lra|].
  specialize (IH (S i)). specialize (Hf i). apply IZR_le in Hl. nra.
Qed.
Lemma IZR_sum_map {A} (g : A -> Z) l : IZR (sum (map g l)) = total_of l (fun x => IZR (g x)).
Proof. induction l as [|x l IH]; cbn [map sum total_of]; [reflexivity | rewrite plus_IZR, IH; reflexivity]. Qed.

(** *** The bounds of a sparse table leave room. *)
Open Scope Z_scope.

Lemma floors_of_sum b l : is_bound b -> Forall (fun x => 0 <= x) l -> sum (map (floor_times b) l) <= floor_times b (sum l).
Proof.
  intros H F. induction F as [|x l Hx F IH]; cbn [map sum].
  - unfold floor_times. destruct H as (_ & Hs & _). pose proof (two_power (shift b) ltac:(lia)).
    rewrite Z.mul_0_l, Z.div_0_l by lia. lia.
  - pose proof (floor_times_add b x (sum l) H Hx (sum_nonneg l F)). lia.
Qed.

Lemma sparse_bounds_valid b s : is_valid (bounds_of b) -> has_sums b -> sparse_facts b s ->
  is_valid (sparse_bounds b s).
Proof.
  intros V Hs [R So Lo Be Le]. pose proof V as (Hb & Ht & Fl & Su & _ & _ & _). pose proof Hs as (F & Sm & L1 & L2 & _).
  cbn [bounds_of b_bound b_total b_lowers] in *.
  set (all := s_outcomes s) in *.
  assert (Fa : Forall (fun t => 0 <= t) all) by (eapply Forall_impl; [|exact R]; cbn; lia).
  pose proof (unscored_nonneg b all Hs) as Fu. pose proof (sum_nonneg _ Fu) as U0.
  assert (Fs : Forall (fun x => 0 <= x) (map (lower_of_outcome b) all)).
  { apply Forall_forall. intros x Hx. apply in_map_iff in Hx. destruct Hx as (t & <- & _). apply lower_nonneg. exact Hs. }
  pose proof (sum_nonneg _ Fs) as S0.
  (* the split of any function of the lower bounds that is 0 at 0 *)
  assert (Split : forall g, g 0 = 0 ->
    sum (map g (lowers b)) = sum (map g (unscored b all)) + sum (map g (map (lower_of_outcome b) all))).
  { intros g G0. apply eq_IZR. rewrite plus_IZR.
    assert (Seq : lowers b = map (fun i => nth i (lowers b) 0) (seq 0 (length (lowers b)))).
    { clear. induction (lowers b) as [|x l IH]; cbn [length seq map]; [reflexivity|]. cbn [nth]. f_equal.
      rewrite <- seq_shift, map_map. exact IH. }
    rewrite Seq at 1. unfold unscored. rewrite !map_map, !IZR_sum_map.
    rewrite (total_split all (length (lowers b)) (fun i => IZR (g (nth i (lowers b) 0))) So R). f_equal.
    apply total_ext. intros i _. destruct (is_scored all i); [rewrite G0; reflexivity | reflexivity]. }
  assert (Si : sum (lowers b) = sum (unscored b all) + sum (map (lower_of_outcome b) all)).
  { pose proof (Split (fun x => x) eq_refl) as Q. rewrite !map_id in Q. exact Q. }
  assert (Le31 : (length all <= length (lowers b))%nat).
  { destruct (Nat.le_gt_cases (length all) (length (lowers b))) as [|G]; [assumption|]. exfalso.
    assert (Ls : (length all <= length (seq 0 (length (lowers b))))%nat); [|rewrite seq_length in Ls; lia].
    rewrite <- (map_length Z.to_nat all). apply NoDup_incl_length.
    - clear - So Fa. induction So as [|t l S IH H]; cbn [map]; constructor.
      + intros I. apply in_map_iff in I. destruct I as (u & E & U). inversion Fa; subst.
        rewrite Forall_forall in H. specialize (H u U). lia.
      + apply IH. inversion Fa; assumption.
    - intros i I. apply in_map_iff in I. destruct I as (t & <- & I). rewrite Forall_forall in R.
      specialize (R t I). apply in_seq. lia. }
  unfold sparse_bounds. apply valid_of_room; cbn [b_bound b_total b_lowers b_uniform]; try assumption;
    fold all in Lo; rewrite Lo.
  - apply Forall_app. split; [|constructor; [lia | constructor]].
    apply Forall_forall. intros x Hx. pose proof (each_at_most_sum _ x Fs Hx). rewrite Forall_forall in Fs.
    specialize (Fs x Hx). lia.
  - rewrite map_app, !sum_app. cbn [map sum]. rewrite Z.add_0_r.
    match goal with |- context [map (upper ?bs) _] => set (up := upper bs) end.
    assert (Su2 : total b <= sum (map up (lowers b))) by exact (proj2 Su).
    assert (Uv : forall x, up x = Z.min (floor_times (bound b) x) (total b)) by reflexivity.
    clearbody up. split; [lia|].
    assert (G0 : up 0 = 0).
    { rewrite Uv. unfold floor_times. destruct Hb as (_ & Hsh & _).
      pose proof (two_power (shift (bound b)) ltac:(lia)). rewrite Z.mul_0_l, Z.div_0_l by lia. lia. }
    rewrite (Split up G0) in Su2.
    assert (P : forall x, 0 <= x -> 0 <= up x).
    { intros x Hx. rewrite Uv. pose proof (floor_times_pos (bound b) x Hb Hx). lia. }
    assert (Sp : 0 <= sum (map up (map (lower_of_outcome b) all))).
    { apply sum_nonneg, Forall_map. eapply Forall_impl; [|exact Fs]. cbn. exact P. }
    pose proof (floors_of_sum (bound b) _ Hb Fu) as Q.
    assert (Q2 : forall l, sum (map up l) <= sum (map (floor_times (bound b)) l)).
    { intros l. induction l as [|x l IH]; cbn [map sum]; [lia|]. rewrite Uv. lia. }
    specialize (Q2 (unscored b all)). rewrite (Uv (sum (unscored b all))). lia.
  - rewrite app_length, map_length. cbn [length]. lia.
  - discriminate.
Qed.

(** *** The law. *)
Open Scope R_scope.

(** What is drawn at a place of the table: a scored outcome, or one of the others. *)
Definition value_at (b : band) (s : sparse) (f : nat -> R) (slot : nat) : R :=
  if (slot <? length (s_outcomes s))%nat then f (Z.to_nat (nth slot (s_outcomes s) 0%Z))
  else weighted 0 (unscored b (s_outcomes s)) f / IZR (sum (unscored b (s_outcomes s))).

Lemma expectation_of_sparse b s n f : is_valid (bounds_of b) -> has_sums b -> sparse_facts b s ->
  is_fitted (sparse_bounds b s) n ->
  expectation (draw_sparse b s n) f = weighted 0 (of_outcomes n) (value_at b s f) / IZR (total b).
Proof.
  intros V Hs Hf Hn. pose proof (sparse_bounds_valid b s V Hs Hf) as Vs.
  pose proof (fitted_runs _ _ Vs Hn) as Rn. destruct Hn as (_ & Sn & Bn). cbn [sparse_bounds b_total] in Sn.
  pose proof V as (_ & Ht & _). cbn in Ht.
  unfold draw_sparse. cbn [expectation]. f_equal. rewrite <- Sn.
  rewrite <- (sum_over_places (of_outcomes n) (value_at b s f) 0 (proj1 Rn)).
  apply sum_ext. intros p Hp. rewrite Z2Nat.id in Hp by lia.
  rewrite run_at_exact by assumption. cbn [Nat.add]. unfold value_at.
  destruct (place (of_outcomes n) p <? length (s_outcomes s))%nat; [reflexivity|].
  pose proof (f_lowers b s Hf) as Lo. cbn [expectation]. rewrite Lo, last_last.
  set (u := unscored b (s_outcomes s)) in *.
  pose proof (unscored_nonneg b (s_outcomes s) Hs) as Fu. fold u in Fu.
  f_equal. rewrite <- (sum_over_places u f 0 Fu). apply sum_ext. intros q Hq.
  rewrite Z2Nat.id in Hq by (apply sum_nonneg; exact Fu).
  rewrite locate_unscored_exact by assumption. reflexivity.
Qed.

(** The reference: lower bounds over the total. *)
Lemma reference_of_sparse b s f : has_sums b -> sparse_facts b s ->
  weighted 0 (s_lowers s) (value_at b s f) = weighted 0 (lowers b) f.
Proof.
  intros Hs [R So Lo Be Le]. rewrite Lo, weighted_app. cbn [weighted Nat.add]. rewrite map_length.
  set (all := s_outcomes s) in *. set (u := unscored b all) in *.
  assert (Fa : Forall (fun t => (0 <= t)%Z) all) by (eapply Forall_impl; [|exact R]; cbn; lia).
  pose proof (unscored_nonneg b all Hs) as Fu. fold u in Fu.
  assert (T1 : weighted 0 (map (lower_of_outcome b) all) (value_at b s f)
               = total_of all (fun t => IZR (lower_of_outcome b t) * f (Z.to_nat t))).
  { assert (G : forall done rest, all = done ++ rest ->
      weighted (length done) (map (lower_of_outcome b) rest) (value_at b s f)
      = total_of rest (fun t => IZR (lower_of_outcome b t) * f (Z.to_nat t))).
    { intros done rest. revert done. induction rest as [|t rest IH]; intros done E; cbn [map weighted total_of]; [reflexivity|].
      f_equal.
      - unfold value_at. fold all. destruct (Nat.ltb_spec (length done) (length all)) as [L | L].
        + rewrite E, app_nth2, Nat.sub_diag by lia. reflexivity.
        + rewrite E, app_length in L. cbn [length] in L. lia.
      - replace (S (length done)) with (length (done ++ [t])) by (rewrite app_length; cbn; lia).
        apply IH. rewrite <- app_assoc. exact E. }
    exact (G [] all eq_refl). }
  assert (T2 : IZR (sum u) * value_at b s f (length all) = weighted 0 u f).
  { unfold value_at. fold all u. rewrite Nat.ltb_irrefl.
    destruct (Z.eq_dec (sum u) 0) as [E | N].
    - rewrite E. rewrite Rmult_0_l.
      assert (Z0 : forall l i, Forall (fun x => (0 <= x)%Z) l -> sum l = 0%Z -> weighted i l f = 0).
      { clear. intros l i F. revert i. induction F as [|x l Hx F IH]; intros i S; cbn [weighted sum] in *; [reflexivity|].
        pose proof (sum_nonneg l F). rewrite IH by lia. replace x with 0%Z by lia. lra. }
      symmetry. apply Z0; assumption.
    - field. apply not_0_IZR. exact N. }
  rewrite T1, T2, Rplus_0_r. rewrite (weighted_as_total (lowers b)), (weighted_as_total u).
  rewrite (total_split all (length (lowers b)) _ So R). rewrite Rplus_comm. f_equal.
  unfold u. rewrite unscored_length. apply total_ext. intros i Hi. apply in_seq in Hi.
  rewrite unscored_nth by lia. destruct (is_scored all i); [lra | reflexivity].
Qed.

(** Every table of the band, dense or sparse, is between the reference and Ebar times the reference. *)
Definition near_reference (b : band) (d : draw nat) : Prop :=
  forall f : nat -> R, (forall j, 0 <= f j) ->
    weighted 0 (lowers b) f <= IZR (total b) * expectation d f
    <= ebar (bound b) * weighted 0 (lowers b) f.

Lemma inside_itself b ls : is_valid b -> Forall (fun l => (0 <= l <= b_total b)%Z) ls -> inside b ls ls.
Proof.
  intros V F. unfold inside. induction F as [|l ls Hl F IH]; constructor; [|exact IH].
  pose proof (upper_range b l V Hl). lia.
Qed.
Lemma inside_below b ls ns : inside b ls ns -> Forall2 (fun l n => (l <= n)%Z) ls ns.
Proof. intros H. induction H as [|l n ls ns [_ Hn] H IH]; constructor; [lia | exact IH]. Qed.

Lemma fitted_near (bs : bounds) n g : is_valid bs -> is_fitted bs n -> (forall j, 0 <= g j) ->
  weighted 0 (b_lowers bs) g <= weighted 0 (of_outcomes n) g <= ebar (b_bound bs) * weighted 0 (b_lowers bs) g.
Proof.
  intros V (Hin & _) Hg. split; [apply weighted_below; [apply inside_below with bs; exact Hin | exact Hg]|].
  apply (weighted_ratio bs (b_lowers bs)); try assumption. apply inside_itself; [exact V|]. apply V.
Qed.

Lemma sparse_near b s n : is_valid (bounds_of b) -> has_sums b -> sparse_facts b s ->
  is_fitted (sparse_bounds b s) n -> near_reference b (draw_sparse b s n).
Proof.
  intros V Hs Hf Hn f Hp. rewrite expectation_of_sparse by assumption.
  assert (P : 0 < IZR (total b)) by (apply IZR_lt; destruct V as (_ & Ht & _); cbn in Ht; lia).
  replace (IZR (total b) * (weighted 0 (of_outcomes n) (value_at b s f) / IZR (total b)))
    with (weighted 0 (of_outcomes n) (value_at b s f)) by (field; lra).
  rewrite <- (reference_of_sparse b s f Hs Hf).
  apply (fitted_near (sparse_bounds b s)); [apply sparse_bounds_valid; assumption | exact Hn|].
  intros j. unfold value_at. destruct (j <? length (s_outcomes s))%nat; [apply Hp|].
  pose proof (unscored_nonneg b (s_outcomes s) Hs) as Fu.
  pose proof (weighted_nonneg _ 0 f Fu Hp) as W.
  destruct (Z.eq_dec (sum (unscored b (s_outcomes s))) 0) as [E | N].
  - rewrite E. unfold Rdiv. rewrite Rinv_0. lra.
  - apply Rle_mult_inv_pos; [exact W|]. apply IZR_lt. pose proof (sum_nonneg _ Fu). lia.
Qed.
Lemma dense_near b n : is_valid (bounds_of b) -> is_fitted (bounds_of b) n ->
  near_reference b (draw_table (total b) n).
Proof.
  intros V Hn f Hp. change (total b) with (b_total (bounds_of b)). rewrite expectation_of_table by assumption.
  assert (P : 0 < IZR (b_total (bounds_of b))) by (apply IZR_lt; destruct V as (_ & Ht & _); lia).
  replace (IZR (b_total (bounds_of b)) * (weighted 0 (of_outcomes n) f / IZR (b_total (bounds_of b))))
    with (weighted 0 (of_outcomes n) f) by (field; lra).
  exact (fitted_near (bounds_of b) n f V Hn Hp).
Qed.

Lemma near_within b e d d' : is_bound (bound b) -> (1 <= total b)%Z -> ebar (bound b) <= exp e ->
  Forall (fun x => (0 <= x)%Z) (lowers b) -> near_reference b d -> near_reference b d' -> within_for_all e d d'.
Proof.
  intros Hb Ht He F N N' f Hp. destruct (N f Hp) as [_ A]. destruct (N' f Hp) as [B _].
  pose proof (weighted_nonneg (lowers b) 0 f F Hp) as W.
  assert (P : 0 < IZR (total b)) by (apply IZR_lt; lia).
  assert (E : 0 < ebar (bound b)).
  { destruct Hb as (Hm & Hs & _). unfold ebar. apply Rdiv_lt_0_compat; apply IZR_lt; [lia|].
    apply two_power. lia. }
  apply Rmult_le_reg_l with (IZR (total b)); [exact P|].
  apply Rle_trans with (ebar (bound b) * (IZR (total b) * expectation d' f)).
  - eapply Rle_trans; [exact A|]. apply Rmult_le_compat_l; lra.
  - replace (IZR (total b) * (exp e * expectation d' f))
      with (exp e * (IZR (total b) * expectation d' f)) by ring.
    apply Rmult_le_compat_r; [lra | exact He].
Qed.

(** A second integer is asked for only if there are lower bounds to draw it below. *)
Lemma proper_sparse b s n : is_valid (bounds_of b) -> has_sums b -> sparse_facts b s ->
  is_fitted (sparse_bounds b s) n -> proper (draw_sparse b s n).
Proof.
  intros V Hs Hf Hn. pose proof (sparse_bounds_valid b s V Hs Hf) as Vs.
  pose proof (fitted_runs _ _ Vs Hn) as Rn. destruct Hn as (Hin & Sn & Bn). cbn [sparse_bounds b_total] in Sn.
  pose proof V as (Hb & Ht & _). cbn in Ht, Hb. pose proof Hs as (F & Sm & _).
  pose proof (f_lowers b s Hf) as Lo.
  unfold draw_sparse. cbn [proper]. split; [lia|]. intros p Hp.
  rewrite run_at_exact by (try assumption; lia).
  destruct (place_sums (of_outcomes n) p (proj1 Rn) ltac:(lia)) as [[P1 P2] P3].
  set (i := place (of_outcomes n) p) in *. clearbody i. rewrite sum_firstn_S in P2.
  destruct (Nat.ltb_spec i (length (s_outcomes s))) as [L | L]; [exact I|]. cbn [proper]. split; [|trivial].
  assert (Ln : length (of_outcomes n) = S (length (s_outcomes s))).
  { rewrite <- (inside_length _ _ _ Hin). cbn [sparse_bounds b_lowers]. rewrite Lo, app_length, map_length. cbn. lia. }
  assert (Ei : i = length (s_outcomes s)) by lia.
  assert (U : (0 <= sum (unscored b (s_outcomes s)))%Z) by (apply sum_nonneg, unscored_nonneg; exact Hs).
  assert (Up : (sum (unscored b (s_outcomes s)) <= 2 ^ 62)%Z).
  { pose proof Vs as (_ & _ & Fl & _). cbn [sparse_bounds b_lowers b_total] in Fl. rewrite Lo in Fl.
    apply Forall_app in Fl. destruct Fl as [_ Fl]. inversion Fl; subst. lia. }
  rewrite Lo, last_last. split; [|lia].
  destruct (Z.eq_dec (sum (unscored b (s_outcomes s))) 0) as [Z0 | N]; [|lia]. exfalso.
  assert (G : forall ls ns j, inside (sparse_bounds b s) ls ns -> (j < length ls)%nat ->
            (nth j ns 0 <= upper (sparse_bounds b s) (nth j ls 0))%Z).
  { clear. intros ls ns j H. revert j. induction H as [|l m ls ns [_ Hm] H IH]; intros j L; cbn [length] in L; [lia|].
    destruct j as [|j]; cbn [nth]; [lia | apply IH; lia]. }
  assert (Q : (nth i (of_outcomes n) 0 <= upper (sparse_bounds b s) (nth i (s_lowers s) 0))%Z).
  { apply G; [exact Hin|]. cbn [sparse_bounds b_lowers]. rewrite Lo, app_length, map_length. cbn [length]. lia. }
  rewrite Lo, app_nth2 in Q by (rewrite map_length; lia).
  rewrite map_length, Ei, Nat.sub_diag in Q. cbn [nth] in Q. rewrite Z0 in Q.
  unfold upper in Q. cbn [sparse_bounds b_bound b_total] in Q. unfold floor_times in Q.
  rewrite Z.mul_0_l in Q. destruct Hb as (_ & Hsh & _). pose proof (two_power (shift (bound b)) ltac:(lia)).
  rewrite Z.div_0_l in Q by lia. rewrite Ei in P1, P2. lia.
Qed.
