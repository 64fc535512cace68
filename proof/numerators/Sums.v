(** Block sums and the exact sum of a rounding pass. *)
From Coq Require Import ZArith List Bool Lia.
From Mollify Require Import random.Code random.Properties band.Code band.Properties band.Machine
  numerators.Code numerators.Settle.
Import ListNotations.
Open Scope Z_scope.

(** The blocks of a list. *)
Fixpoint chunks (fuel : nat) (l : list Z) : list (list Z) :=
  match fuel, l with
  | S fuel, _ :: _ => firstn kBlock l :: chunks fuel (skipn kBlock l)
  | _, _ => []
  end.
Definition blocks_of (l : list Z) : list (list Z) := chunks (length l) l.

Lemma kBlock_value : kBlock = 256%nat. Proof. reflexivity. Qed.
Opaque kBlock.

Lemma skipn_length_lt fuel (l : list Z) x : (length (x :: l) <= S fuel)%nat ->
  (length (skipn kBlock (x :: l)) <= fuel)%nat.
Proof. intros H. rewrite skipn_length, kBlock_value. cbn [length] in *. lia. Qed.

Lemma chunks_app fuel l : (length l <= fuel)%nat -> concat (chunks fuel l) = l.
Proof.
  revert l. induction fuel as [|fuel IH]; intros [|x l] H; cbn [chunks concat];
    try reflexivity; [cbn in H; lia|].
  rewrite IH by (apply skipn_length_lt; exact H). apply firstn_skipn.
Qed.
Lemma sum_concat ls : sum (concat ls) = sum (map sum ls).
Proof. induction ls as [|l ls IH]; cbn [concat map sum]; [reflexivity|]. rewrite sum_app. lia. Qed.
Lemma chunks_length fuel l : Forall (fun c => (length c <= kBlock)%nat) (chunks fuel l).
Proof.
  revert l. induction fuel as [|fuel IH]; intros [|x l]; cbn [chunks]; constructor; try apply IH.
  apply firstn_le_length.
Qed.
Lemma chunks_Forall (P : Z -> Prop) fuel l : Forall P l -> Forall (Forall P) (chunks fuel l).
Proof.
  revert l. induction fuel as [|fuel IH]; intros [|x l] H; cbn [chunks]; constructor.
  - rewrite <- (firstn_skipn kBlock (x :: l)) in H. apply Forall_app in H. apply H.
  - apply IH. rewrite <- (firstn_skipn kBlock (x :: l)) in H. apply Forall_app in H. apply H.
Qed.
Lemma chunks_map f fuel l : chunks fuel (map f l) = map (map f) (chunks fuel l).
Proof.
  revert l. induction fuel as [|fuel IH]; intros [|x l]; cbn [chunks map]; try reflexivity.
  f_equal; [apply (firstn_map f kBlock (x :: l)) |].
  rewrite <- IH. f_equal. apply (skipn_map f kBlock (x :: l)).
Qed.

(** The sum of block j is the sum of the j-th chunk. *)
Lemma sum_in_app j i l m : sum_in j i (l ++ m) = sum_in j i l + sum_in j (i + length l) m.
Proof.
  revert i. induction l as [|x l IH]; intros i; cbn [app sum_in length].
  - rewrite Nat.add_0_r. lia.
  - rewrite IH. rewrite Nat.add_succ_r. cbn [Nat.add]. lia.
Qed.
Lemma div_block i : (i < kBlock)%nat -> (i / kBlock = 0)%nat.
Proof. apply Nat.div_small. Qed.
Lemma sum_in_shift j i l : sum_in (S j) (kBlock + i) l = sum_in j i l.
Proof.
  revert i. induction l as [|x l IH]; intros i; cbn [sum_in]; [reflexivity|].
  replace (S (kBlock + i)) with (kBlock + S i)%nat by lia. rewrite IH.
  replace ((kBlock + i) / kBlock)%nat with (S (i / kBlock)).
  - reflexivity.
  - replace (kBlock + i)%nat with (i + 1 * kBlock)%nat by lia.
    rewrite Nat.div_add by (rewrite kBlock_value; lia). lia.
Qed.
Lemma sum_in_first i l : (i + length l <= kBlock)%nat -> sum_in 0 i l = sum l.
Proof.
  revert i. induction l as [|x l IH]; intros i H; cbn [sum_in sum length] in *; [reflexivity|].
  rewrite div_block by lia. cbn [Nat.eqb]. rewrite IH by lia. reflexivity.
Qed.
Lemma sum_in_none j i l : (i + length l <= kBlock)%nat -> sum_in (S j) i l = 0.
Proof.
  revert i. induction l as [|x l IH]; intros i H; cbn [sum_in length] in *; [reflexivity|].
  rewrite div_block by lia. cbn [Nat.eqb]. rewrite IH by lia. lia.
Qed.
Lemma sum_in_beyond i l : (kBlock <= i)%nat -> sum_in 0 i l = 0.
Proof.
  revert i. induction l as [|x l IH]; intros i H; cbn [sum_in]; [reflexivity|].
  rewrite IH by lia. pose proof kBlock_value.
  assert (1 <= i / kBlock)%nat by (apply Nat.div_le_lower_bound; lia).
  destruct (Nat.eqb_spec (i / kBlock) 0); lia.
Qed.

Lemma nth_chunk fuel l j : (length l <= fuel)%nat ->
  nth j (map sum (chunks fuel l)) 0 = sum_in j 0 l.
Proof.
  revert l j. induction fuel as [|fuel IH]; intros [|x l] j H; cbn [chunks map];
    try (destruct j; reflexivity); [cbn in H; lia|].
  set (a := x :: l) in *.
  rewrite <- (firstn_skipn kBlock a) at 3. rewrite sum_in_app. cbn [Nat.add].
  assert (La : (length (firstn kBlock a) <= kBlock)%nat) by apply firstn_le_length.
  destruct (Nat.le_gt_cases (length a) kBlock) as [L | L].
  - rewrite (skipn_all2 a) by exact L. cbn [sum_in]. rewrite Z.add_0_r.
    destruct j as [|j]; cbn [nth].
    + symmetry. apply sum_in_first. exact La.
    + rewrite (sum_in_none j 0) by exact La.
      destruct fuel; cbn [chunks map]; destruct j; reflexivity.
  - rewrite firstn_length, Nat.min_l by lia.
    destruct j as [|j]; cbn [nth].
    + rewrite sum_in_first by exact La. rewrite sum_in_beyond by lia. lia.
    + rewrite (sum_in_none j 0) by exact La.
      rewrite IH by (subst a; apply skipn_length_lt; exact H).
      rewrite <- (Nat.add_0_r kBlock) at 2. rewrite sum_in_shift. lia.
Qed.

(** *** One block. *)

Lemma lanes_spec l : let '(x, y, z, w) := lanes l in
  sum x + sum y + sum z + sum w = sum l /\
  (length x + length y + length z + length w = length l)%nat /\
  forall P : Z -> Prop, Forall P l -> Forall P x /\ Forall P y /\ Forall P z /\ Forall P w.
Proof.
  induction l as [|n l IH]; cbn [lanes].
  - repeat split; auto.
  - destruct (lanes l) as [[[x y] z] w]. destruct IH as (S & L & F).
    cbn [sum length]. split; [lia|]. split; [lia|].
    intros P H. inversion H; subst. destruct (F P) as (F1 & F2 & F3 & F4); [assumption|].
    repeat split; auto.
Qed.

Lemma lane_sum_exact (below : bool) l :
  Forall (fun n => 0 <= n < if below then 2 ^ 51 else 2 ^ 64) l -> (length l <= kBlock)%nat ->
  lane_sum below l = sum l.
Proof.
  intros H L. rewrite kBlock_value in L. unfold lane_sum. cbv zeta.
  destruct below; rewrite !fold_add64_0.
  - pose proof (sum_bound l (2 ^ 51) H).
    change (shl64 0 32) with 0. change (shl128 0 32) with 0.
    rewrite (w64_small (sum l)) by lia. unfold sub64. rewrite Z.sub_0_r, w64_small by lia.
    rewrite add128_exact by lia. lia.
  - apply sum_from_halves; [exact H | lia].
Qed.

Definition scaled (shift base : Z) (n : Z) : Z := base + n * 2 ^ shift.

Lemma sum_scaled shift base l :
  sum (map (scaled shift base) l) = sum l * 2 ^ shift + base * Z.of_nat (length l).
Proof.
  induction l as [|x l IH]; cbn [map sum length]; [lia|]. rewrite IH. unfold scaled. lia.
Qed.

Lemma block_sum_exact (below : bool) shift base l :
  Forall (fun n => 0 <= n < if below then 2 ^ 51 else 2 ^ 64) l -> (length l <= kBlock)%nat ->
  0 <= shift <= 12 -> 0 <= base < 2 ^ 64 ->
  block_sum below shift base l = sum (map (scaled shift base) l).
Proof.
  intros H L Hs Hb. unfold block_sum. pose proof (lanes_spec l) as P.
  destruct (lanes l) as [[[x y] z] w]. destruct P as (PS & PL & PF).
  destruct (PF _ H) as (F1 & F2 & F3 & F4). rewrite kBlock_value in L.
  rewrite !lane_sum_exact by (try assumption; rewrite kBlock_value; lia).
  assert (W : forall m, Forall (fun n => 0 <= n < if below then 2 ^ 51 else 2 ^ 64) m ->
              0 <= sum m <= Z.of_nat (length m) * 2 ^ 64).
  { intros m Hm. apply sum_bound. eapply Forall_impl; [|exact Hm]. cbn. destruct below; lia. }
  pose proof (W x F1). pose proof (W y F2). pose proof (W z F3). pose proof (W w F4).
  rewrite (add128_exact (sum x)) by lia. rewrite (add128_exact (sum x + sum y)) by lia.
  rewrite (add128_exact (sum x + sum y + sum z)) by lia. rewrite PS.
  pose proof (W l H). unfold shl128. rewrite shl_mul by lia.
  assert (2 ^ shift <= 2 ^ 12) by (apply Z.pow_le_mono_r; lia).
  pose proof (two_power shift ltac:(lia)).
  rewrite w128_small by nia.
  rewrite mul128_exact by nia. rewrite add128_exact by nia. rewrite sum_scaled. reflexivity.
Qed.

(** *** All of them. *)

Lemma round_blocks_exact (below : bool) shift base :
  0 <= shift <= 12 -> 0 <= base < 2 ^ 64 ->
  forall fuel l a, Forall (fun n => 0 <= n < if below then 2 ^ 51 else 2 ^ 64) l ->
  0 <= a -> Forall (fun n => 0 <= n) (map (scaled shift base) l) ->
  (length l <= fuel)%nat -> a + sum (map (scaled shift base) l) < 2 ^ 128 ->
  round_blocks fuel below shift base a l
  = (map w64 (map sum (chunks fuel (map (scaled shift base) l))), a + sum (map (scaled shift base) l)).
Proof.
  intros Hs Hb. induction fuel as [|fuel IH]; intros [|x l] a H Ha Hp L Hsum;
    cbn [round_blocks chunks map sum]; try (rewrite Z.add_0_r; reflexivity); [cbn in L; lia|].
  set (m := x :: l) in *.
  change (scaled shift base x :: map (scaled shift base) l) with (map (scaled shift base) m) in *.
  change (scaled shift base x + sum (map (scaled shift base) l)) with (sum (map (scaled shift base) m)) in *.
  pose proof (firstn_skipn kBlock m) as FS.
  assert (H1 : Forall (fun n => 0 <= n < if below then 2 ^ 51 else 2 ^ 64) (firstn kBlock m))
    by (rewrite <- FS in H; apply Forall_app in H; apply H).
  assert (H2 : Forall (fun n => 0 <= n < if below then 2 ^ 51 else 2 ^ 64) (skipn kBlock m))
    by (rewrite <- FS in H; apply Forall_app in H; apply H).
  rewrite block_sum_exact by (try assumption; try lia; apply firstn_le_length).
  assert (SS : sum (map (scaled shift base) m)
               = sum (map (scaled shift base) (firstn kBlock m))
                 + sum (map (scaled shift base) (skipn kBlock m))).
  { rewrite <- sum_app, <- map_app, FS. reflexivity. }
  rewrite <- FS, map_app in Hp. apply Forall_app in Hp. destruct Hp as [Hp1 Hp2].
  pose proof (sum_nonneg _ Hp1). pose proof (sum_nonneg _ Hp2).
  rewrite add128_exact by lia.
  rewrite IH; try assumption; try lia.
  2: { subst m. apply skipn_length_lt. exact L. }
  rewrite firstn_map, skipn_map. cbn [map].
  rewrite SS. f_equal. lia.
Qed.

Lemma plain_blocks_exact fuel l : Forall (fun n => 0 <= n < 2 ^ 64) l ->
  plain_blocks fuel l = map w64 (map sum (chunks fuel l)).
Proof.
  revert l. induction fuel as [|fuel IH]; intros [|x l] H; cbn [plain_blocks chunks map]; try reflexivity.
  rewrite fold_add64_0. f_equal. apply IH.
  rewrite <- (firstn_skipn kBlock (x :: l)) in H. apply Forall_app in H. apply H.
Qed.
