(** Band::make hands out only bands that have room for the total. *)
From Coq Require Import ZArith List Bool Lia.
From Mollify Require Import random.Code random.Properties band.Code band.Properties band.Machine
  numerators.Code numerators.Settle.
Import ListNotations.
Open Scope Z_scope.

Lemma sum_of_exact l : are_words l -> Z.of_nat (length l) <= 2 ^ 31 -> sum_of l = sum l.
Proof.
  intros H L. unfold sum_of. cbv zeta. rewrite !fold_add64_0. apply sum_from_halves; assumption.
Qed.

Lemma prefix_sums_exact fuel l a : are_words l -> (length l <= fuel)%nat -> 0 <= a ->
  a + Z.of_nat (length l) * 2 ^ 64 < 2 ^ 128 ->
  snd (prefix_sums fuel a l) = a + sum l /\
  fst (prefix_sums fuel a l) <> [] /\ last (fst (prefix_sums fuel a l)) 0 = w64 (a + sum l).
Proof.
  revert l a. induction fuel as [|fuel IH]; intros [|x l] a H L Ha B.
  - cbn. rewrite Z.add_0_r. repeat split; discriminate.
  - cbn in L. lia.
  - cbn. rewrite Z.add_0_r. repeat split; discriminate.
  - set (m := x :: l) in *.
    change (prefix_sums (S fuel) a m) with
      (let '(sums, all) := prefix_sums fuel (add128 a (sum_of (firstn kRun m))) (skipn kRun m) in
       (w64 a :: sums, all)).
    pose proof (firstn_skipn kRun m) as FS.
    assert (W : are_words (firstn kRun m) /\ are_words (skipn kRun m))
      by (unfold are_words in *; rewrite <- FS in H; apply Forall_app in H; exact H).
    destruct W as [W1 W2].
    pose proof (sum_bound _ (2 ^ 64) W1) as B1.
    assert (L1 : (length (firstn kRun m) <= 64)%nat) by apply firstn_le_length.
    assert (LL : (length m = length (firstn kRun m) + length (skipn kRun m))%nat)
      by (rewrite <- app_length, FS; reflexivity).
    assert (L0 : (1 <= length (firstn kRun m))%nat).
    { rewrite firstn_length. subst m. unfold kRun. cbn [length]. lia. }
    rewrite sum_of_exact by (try assumption; lia).
    assert (SS : sum m = sum (firstn kRun m) + sum (skipn kRun m)) by (rewrite <- sum_app, FS; reflexivity).
    rewrite add128_exact by lia.
    specialize (IH (skipn kRun m) (a + sum (firstn kRun m)) W2 ltac:(lia) ltac:(lia) ltac:(lia)).
    destruct (prefix_sums fuel (a + sum (firstn kRun m)) (skipn kRun m)) as [sums all].
    cbn [fst snd] in *. destruct IH as (I1 & I2 & I3).
    split; [lia|]. split; [discriminate|].
    destruct sums as [|s sums]; [contradiction|].
    cbn [last] in *. rewrite I3. f_equal. lia.
Qed.

Lemma floor_times_split b x y : is_bound b -> 0 <= x -> 0 <= y ->
  floor_times b (x + y) <= floor_times b x + floor_times b y + 1.
Proof.
  intros H Hx Hy. pose proof (floor_times_bounds b x H). pose proof (floor_times_bounds b y H).
  pose proof (floor_times_bounds b (x + y) H). pose proof H as (_ & Hs & _).
  pose proof (two_power (shift b) ltac:(lia)). nia.
Qed.

Lemma sum_of_floors b l : is_bound b -> Forall (fun x => 0 <= x) l ->
  floor_times b (sum l) <= sum (map (floor_times b) l) + Z.of_nat (length l).
Proof.
  intros H F. induction F as [|x l Hx F IH]; cbn [sum map length].
  - unfold floor_times. rewrite Z.mul_0_l. destruct H as (_ & Hs & _).
    pose proof (two_power (shift b) ltac:(lia)). rewrite Z.div_0_l by lia. lia.
  - pose proof (floor_times_split b x (sum l) H Hx (sum_nonneg l F)). lia.
Qed.

Lemma sum_of_minima (f : Z -> Z) t l : 0 <= t -> Forall (fun x => 0 <= f x) l ->
  Z.min t (sum (map f l)) <= sum (map (fun x => Z.min (f x) t) l).
Proof.
  intros Ht. induction 1 as [|x l Hx H IH]; cbn [map sum]; [lia|].
  assert (0 <= sum (map f l)) by (apply sum_nonneg, Forall_map; exact H). lia.
Qed.

Lemma fold_uppers b t l a : is_bound b -> 0 <= t <= 2 ^ 62 -> are_words l -> 0 <= a ->
  a + Z.of_nat (length l) * 2 ^ 62 < 2 ^ 128 ->
  fold_left (fun s lower => add128 s (times_floor b lower t)) l a
  = a + sum (map (fun x => Z.min (floor_times b x) t) l).
Proof.
  intros Hb Ht H. revert a. induction H as [|x l Hx H IH]; intros a Ha B; cbn [fold_left map sum length] in *;
    [lia|].
  rewrite times_floor_exact by (try assumption; lia).
  pose proof (floor_times_pos b x Hb). rewrite add128_exact by lia. rewrite IH by lia. lia.
Qed.

Lemma each_at_most_sum l x : Forall (fun x => 0 <= x) l -> In x l -> x <= sum l.
Proof.
  induction 1 as [|y l Hy H IH]; intros Hin; [destruct Hin|].
  pose proof (sum_nonneg l H). cbn [sum]. destruct Hin as [-> | Hin]; [lia|]. specialize (IH Hin). lia.
Qed.

Lemma shape_true count t : is_shape count t = true -> 1 <= count <= 2 ^ 24 /\ 1 <= t <= 2 ^ 62.
Proof.
  unfold is_shape, kMostOutcomes, kGreatestTotal. intros H.
  repeat (apply andb_prop in H; destruct H as [H ?]). lia.
Qed.
Lemma room_true a u t : has_room a u t = true <-> a <= t <= u.
Proof. unfold has_room. rewrite andb_true_iff, !Z.leb_le. reflexivity. Qed.

Lemma valid_of_room (b : bounds) :
  is_bound (b_bound b) -> 1 <= b_total b <= 2 ^ 62 -> are_words (b_lowers b) ->
  sum (b_lowers b) <= b_total b <= sum (map (upper b) (b_lowers b)) ->
  1 <= Z.of_nat (length (b_lowers b)) <= 2 ^ 24 + 1 ->
  (b_uniform b = true -> b_lowers b = repeat (lower_of b) (length (b_lowers b))) -> is_valid b.
Proof.
  intros Hb Ht Hw Hr Hk Hu.
  assert (F : Forall (fun lower => 0 <= lower <= b_total b) (b_lowers b)).
  2: { split; [exact Hb|]. split; [exact Ht|]. split; [exact F|]. split; [exact Hr|].
       split; [lia|]. split; [lia | exact Hu]. }
  assert (P : Forall (fun x => 0 <= x) (b_lowers b)) by (eapply Forall_impl; [|exact Hw]; cbn; lia).
  apply Forall_forall. intros x Hin.
  pose proof (each_at_most_sum _ x P Hin). rewrite Forall_forall in P. specialize (P x Hin). lia.
Qed.

Lemma make_valid lowers bound total b : is_bound bound -> are_words lowers ->
  make lowers bound total = Some b -> is_valid (bounds_of b).
Proof.
  intros Hb Hw E. unfold make in E.
  destruct (is_shape (Z.of_nat (length lowers)) total) eqn:Sh; [|discriminate E].
  apply shape_true in Sh. destruct Sh as [Hk Ht].
  pose proof (prefix_sums_exact (length lowers) lowers 0 Hw (Nat.le_refl _) ltac:(lia) ltac:(lia)) as P.
  destruct (prefix_sums (length lowers) 0 lowers) as [pre lower_sum]. cbn [fst snd] in P.
  destruct P as (P1 & _ & P3). rewrite Z.add_0_l in *. subst lower_sum. rewrite P3 in E.
  assert (Pn : Forall (fun x => 0 <= x) lowers) by (eapply Forall_impl; [|exact Hw]; cbn; lia).
  pose proof (sum_nonneg lowers Pn) as Hs0.
  rewrite (add64_exact total) in E by lia.
  set (uppers := sum (map (fun x => Z.min (floor_times bound x) total) lowers)) in *.
  assert (Room : sum lowers <= total /\ total <= uppers).
  { destruct ((sum lowers <=? total)
              && (times_floor bound (w64 (sum lowers)) (total + Z.of_nat (length lowers))
                  =? total + Z.of_nat (length lowers)))%bool eqn:Am.
    - apply andb_prop in Am. destruct Am as [A1 A2]. apply Z.leb_le in A1. apply Z.eqb_eq in A2.
      rewrite w64_small in A2 by lia. rewrite times_floor_exact in A2 by (try assumption; lia).
      split; [exact A1|].
      pose proof (sum_of_floors bound lowers Hb Pn).
      assert (F0 : Forall (fun x => 0 <= floor_times bound x) lowers)
        by (eapply Forall_impl; [|exact Pn]; cbn; intros; apply floor_times_pos; assumption).
      pose proof (sum_of_minima (floor_times bound) total lowers ltac:(lia) F0). subst uppers. lia.
    - rewrite fold_uppers in E by (try assumption; lia). rewrite Z.add_0_l in E. fold uppers in E.
      destruct (has_room (sum lowers) uppers total) eqn:HR; [|discriminate E].
      apply room_true in HR. exact HR. }
  assert (Eb : bounds_of b = {| b_total := total; b_bound := bound; b_uniform := false; b_lowers := lowers |}).
  { match type of E with (if ?c then _ else _) = _ => destruct c; [|discriminate E] end.
    injection E as <-. reflexivity. }
  rewrite Eb. apply valid_of_room; cbn [b_bound b_total b_lowers b_uniform]; try assumption; try lia.
Qed.

Lemma sum_repeat x n : sum (repeat x n) = x * Z.of_nat n.
Proof. induction n as [|n IH]; cbn [repeat sum]; lia. Qed.

Lemma make_uniform_valid count lower bound total b : is_bound bound -> 0 <= lower < 2 ^ 64 ->
  make_uniform count lower bound total = Some b -> is_valid (bounds_of b).
Proof.
  intros Hb Hl E. unfold make_uniform in E.
  destruct (is_shape (Z.of_nat count) total) eqn:Sh; [|discriminate E].
  apply shape_true in Sh. destruct Sh as [Hk Ht].
  rewrite times_floor_exact in E by (try assumption; lia).
  pose proof (floor_times_pos bound lower Hb ltac:(lia)) as F0.
  rewrite !mul128_exact in E by nia. cbn [andb] in E.
  destruct (has_room _ _ total) eqn:HR; [|discriminate E]. apply room_true in HR.
  injection E as <-. unfold bounds_of. cbn [band.Code.bound band.Code.total is_uniform lowers].
  apply valid_of_room; cbn [b_bound b_total b_lowers b_uniform]; try assumption; try lia.
  - apply Forall_forall. intros x Hx. apply repeat_spec in Hx. lia.
  - rewrite sum_repeat.
    assert (M : forall b' n, map (upper b') (repeat lower n) = repeat (upper b' lower) n)
      by (intros b' n; induction n; cbn; congruence).
    rewrite M, sum_repeat. unfold upper. cbn [b_bound b_total]. lia.
  - rewrite repeat_length. lia.
  - intros _. rewrite repeat_length. unfold lower_of. cbn [b_lowers].
    destruct count; [cbn in Hk; lia | reflexivity].
Qed.
