(** Settling ends, keeps the bounds and the blocks, and reaches the total. *)
From Coq Require Import ZArith List Bool Lia.
From Mollify Require Import random.Code random.Properties band.Code band.Properties band.Machine
  numerators.Code.
Import ListNotations.
Open Scope Z_scope.

(** The upper bound, without machine integers. *)
Definition upper (b : bounds) (lower : Z) : Z :=
  Z.min (floor_times (b_bound b) lower) (b_total b).

(** What a band promises of its bounds; `make_spec` proves it. *)
Definition is_valid (b : bounds) : Prop :=
  is_bound (b_bound b) /\ 1 <= b_total b <= 2 ^ 62 /\
  Forall (fun lower => 0 <= lower <= b_total b) (b_lowers b) /\
  sum (b_lowers b) <= b_total b <= sum (map (upper b) (b_lowers b)) /\
  (1 <= length (b_lowers b))%nat /\ Z.of_nat (length (b_lowers b)) <= 2 ^ 24 + 1 /\
  (b_uniform b = true -> b_lowers b = repeat (lower_of b) (length (b_lowers b))).

Lemma upper_at_exact b lower : is_valid b -> 0 <= lower <= b_total b ->
  upper_at b lower = upper b lower.
Proof.
  intros (Hb & Ht & _) Hl.
  apply (times_floor_exact (b_bound b) lower (b_total b)); try assumption; lia.
Qed.
Lemma upper_range b lower : is_valid b -> 0 <= lower <= b_total b ->
  lower <= upper b lower <= b_total b.
Proof.
  intros (Hb & Ht & _) Hl. unfold upper.
  pose proof (floor_times_ge (b_bound b) lower Hb). lia.
Qed.

(** Every numerator is between its bounds. *)
Definition inside (b : bounds) : list Z -> list Z -> Prop :=
  Forall2 (fun lower n => 0 <= lower <= b_total b /\ lower <= n <= upper b lower).

Lemma inside_length b lowers ns : inside b lowers ns -> length lowers = length ns.
Proof. induction 1; cbn [length]; congruence. Qed.

(** The sum of the numerators of block j, the first one having number i. *)
Fixpoint sum_in (j i : nat) (l : list Z) : Z :=
  match l with
  | [] => 0
  | n :: l => (if Nat.eqb (i / kBlock) j then n else 0) + sum_in j (S i) l
  end.

Lemma add_at_nth j step l m :
  nth m (add_at j step l) 0 = if (Nat.eqb m j && (m <? length l)%nat)%bool
                              then add64 (nth m l 0) step else nth m l 0.
Proof.
  revert j m. induction l as [|x l IH]; intros j m.
  - cbn [add_at length]. destruct (Nat.ltb_spec m 0); [lia|]. rewrite andb_false_r. destruct j; reflexivity.
  - destruct j as [|j], m as [|m]; cbn [add_at nth length]; try reflexivity.
    rewrite IH. cbn [Nat.eqb].
    destruct (Nat.ltb_spec m (length l)), (Nat.ltb_spec (S m) (S (length l))); try lia; reflexivity.
Qed.
Lemma add_at_length j step l : length (add_at j step l) = length l.
Proof. revert j; induction l as [|x l IH]; intros [|j]; cbn; auto. Qed.

Definition are_sums (blocks : list Z) : Prop :=
  forall j, (j < length blocks)%nat -> 0 <= nth j blocks 0 < 2 ^ 64.

Lemma add_at_are_sums j step blocks : are_sums blocks -> are_sums (add_at j step blocks).
Proof.
  intros H m Hm. rewrite add_at_length in Hm. rewrite add_at_nth.
  destruct (_ && _)%bool; [apply w64_range | apply H; exact Hm].
Qed.

Lemma nth_range l j : are_sums l -> 0 <= nth j l 0 < 2 ^ 64.
Proof.
  intros H. destruct (Nat.ltb_spec j (length l)) as [L | L]; [apply H; exact L|].
  rewrite nth_overflow by exact L. lia.
Qed.

(** How far a numerator moves if enough is missing. *)
Definition moved (b : bounds) (raise : bool) (s lower n : Z) : Z :=
  if raise then Z.min (upper b lower) (n + (n / 2 ^ s + 1)) else Z.max lower (n - (n / 2 ^ s + 1)).

Inductive moves (b : bounds) (raise : bool) (s : Z) : list Z -> list Z -> list Z -> Prop :=
| no_moves : moves b raise s [] [] []
| one_move lower n lowers ns ns' :
    moves b raise s lowers ns ns' ->
    moves b raise s (lower :: lowers) (n :: ns) (moved b raise s lower n :: ns').

Lemma settle_round_spec b raise s : is_valid b -> 0 <= s ->
  forall lowers ns i blocks missing ns' blocks' missing',
  inside b lowers ns -> 0 <= missing < 2 ^ 128 -> are_sums blocks ->
  settle_round b raise s i lowers ns blocks missing = (ns', blocks', missing') ->
  inside b lowers ns' /\ 0 <= missing' <= missing /\
  sum ns' = (if raise then sum ns + (missing - missing') else sum ns - (missing - missing')) /\
  length blocks' = length blocks /\ are_sums blocks' /\
  (forall j, (j < length blocks)%nat ->
     nth j blocks' 0 = w64 (nth j blocks 0 + (sum_in j i ns' - sum_in j i ns))) /\
  (missing' = 0 \/ moves b raise s lowers ns ns').
Proof.
  intros Hv Hs. pose proof Hv as (Hb & Ht & _).
  induction lowers as [|lower lowers IH]; intros ns i blocks missing ns' blocks' missing' Hin Hm Hbl E.
  - inversion Hin; subst. cbn in E. injection E as <- <- <-.
    repeat split; try lia; try assumption; try (apply Hbl; assumption).
    + destruct raise; lia.
    + intros j Hj. cbn. rewrite Z.add_0_r. symmetry. apply w64_small. apply Hbl. exact Hj.
    + right. constructor.
  - inversion Hin as [|l n l' ns0 [Hl Hn] Hin']; subst. cbn [settle_round] in E.
    destruct (Z.eqb_spec missing 0) as [M0 | M0].
    + injection E as <- <- <-. repeat split; try lia; try assumption; try (apply Hbl; assumption).
      * destruct raise; lia.
      * intros j Hj. rewrite Z.sub_diag, Z.add_0_r. symmetry. apply w64_small. apply Hbl. exact Hj.
    + pose proof (upper_range b lower Hv Hl) as Hu.
      rewrite (upper_at_exact b lower Hv Hl) in E.
      pose proof (two_power s Hs) as P.
      rewrite shr_div in E by lia.
      assert (Hq : 0 <= n / 2 ^ s <= n).
      { split; [apply Z.div_pos; lia|]. apply Z.div_le_upper_bound; nia. }
      rewrite (add64_exact (n / 2 ^ s)) in E by lia.
      set (room := if raise then sub64 (upper b lower) n else sub64 n lower) in *.
      assert (Er : room = if raise then upper b lower - n else n - lower)
        by (subst room; destruct raise; apply sub64_exact; lia).
      set (full := Z.min room (n / 2 ^ s + 1)) in *.
      assert (Hfull : 0 <= full <= 2 ^ 62) by (subst full; destruct raise; lia).
      set (step := if missing <? full then w64 missing else full) in *.
      assert (Es : step = Z.min missing full)
        by (subst step; destruct (Z.ltb_spec missing full); [rewrite w64_small by lia|]; lia).
      set (n1 := if raise then add64 n step else sub64 n step) in *.
      assert (En : n1 = if raise then n + step else n - step)
        by (subst n1; destruct raise; [apply add64_exact | apply sub64_exact]; lia).
      rewrite (sub128_exact missing step) in E by lia.
      set (d := if raise then step else w64 (- step)) in *.
      set (blocks1 := add_at (i / kBlock) d blocks) in *.
      destruct (settle_round b raise s (S i) lowers ns0 blocks1 (missing - step))
        as [[ns1 blocks2] missing1] eqn:E1.
      injection E as <- <- <-.
      assert (Hm1 : 0 <= missing - step < 2 ^ 128) by lia.
      destruct (IH _ _ _ _ _ _ _ Hin' Hm1 (add_at_are_sums _ _ _ Hbl) E1)
        as (I1 & I2 & I3 & I4 & I5 & I6 & I7).
      unfold blocks1 in I4. rewrite add_at_length in I4.
      repeat split; try assumption; try lia; try (apply I5; assumption).
      * constructor; [|exact I1]. split; [exact Hl|]. destruct raise; lia.
      * cbn [sum]. rewrite I3, En. destruct raise; lia.
      * intros j Hj. rewrite I6 by (unfold blocks1; rewrite add_at_length; exact Hj).
        cbn [sum_in]. unfold blocks1. rewrite add_at_nth.
        destruct (Nat.ltb_spec j (length blocks)); [|lia]. rewrite andb_true_r.
        rewrite (Nat.eqb_sym (i / kBlock) j).
        destruct (Nat.eqb j (i / kBlock)).
        -- unfold add64. rewrite w64_add. unfold d, w64. rewrite En.
           destruct raise.
           ++ f_equal; lia.
           ++ replace (nth j blocks 0 + - step mod 2 ^ 64 + (sum_in j (S i) ns1 - sum_in j (S i) ns0))
                with ((nth j blocks 0 + (sum_in j (S i) ns1 - sum_in j (S i) ns0)) + - step mod 2 ^ 64)
                by lia.
              rewrite Z.add_mod_idemp_r by lia. f_equal; lia.
        -- f_equal; lia.
      * destruct I7 as [I7 | I7]; [left; exact I7|].
        destruct (Z_le_dec missing full) as [Q | Q]; [left; lia|].
        right. replace n1 with (moved b raise s lower n); [constructor; exact I7|].
        rewrite En, Es. unfold moved. subst full. rewrite Er. destruct raise; lia.
Qed.

(** *** The rounds. *)

Definition settled (b : bounds) (ns ns' blocks blocks' : list Z) (missing' : Z) : Prop :=
  inside b (b_lowers b) ns' /\ missing' = 0 /\ sum ns' = b_total b /\
  length blocks' = length blocks /\ are_sums blocks' /\
  (forall j, (j < length blocks)%nat ->
     nth j blocks' 0 = w64 (nth j blocks 0 + (sum_in j 0 ns' - sum_in j 0 ns))).

Definition is_short (b : bounds) (raise : bool) (ns : list Z) (missing : Z) : Prop :=
  0 <= missing < 2 ^ 128 /\ sum ns + (if raise then missing else - missing) = b_total b.

(** From a round at shift 0 on, numerators are their upper bounds or at least 2^r - 1; or, if they
    fall, the lower bounds after one round. *)
Definition is_far (b : bounds) (raise : bool) (r : Z) : list Z -> list Z -> Prop :=
  Forall2 (fun lower n => if raise then Z.min (upper b lower) (2 ^ r - 1) <= n
                          else r <= 0 \/ n <= lower).

Lemma is_far_start b raise lowers ns : inside b lowers ns -> (forall l, In l lowers -> 0 <= l) ->
  is_far b raise 0 lowers ns.
Proof.
  intros H. induction H as [|l n ls ns [Hl Hn] H IH]; intros Hp; constructor.
  - destruct raise; [change (2 ^ 0 - 1) with 0; lia | left; lia].
  - apply IH. intros; apply Hp; right; assumption.
Qed.

Lemma is_far_next b raise r lowers ns ns' : 0 <= r -> is_valid b -> inside b lowers ns ->
  is_far b raise r lowers ns -> moves b raise 0 lowers ns ns' -> is_far b raise (r + 1) lowers ns'.
Proof.
  intros Hr Hv Hin Hf Hm. revert Hin Hf.
  induction Hm as [|l n ls ns ns' Hm IH]; intros Hin Hf; constructor.
  - inversion Hin as [|? ? ? ? [Hl Hn] _]; subst. inversion Hf as [|? ? ? ? F _]; subst.
    unfold moved. rewrite Z.pow_0_r, Z.div_1_r. pose proof (two_power r Hr).
    destruct raise.
    + rewrite Z.pow_add_r by lia. lia.
    + right. lia.
  - inversion Hin; inversion Hf; subst. apply IH; assumption.
Qed.

Lemma sum_of_far b raise lowers ns : is_valid b -> inside b lowers ns ->
  is_far b raise 64 lowers ns ->
  if raise then sum (map (upper b) lowers) <= sum ns else sum ns <= sum lowers.
Proof.
  intros Hv Hin. pose proof Hv as (_ & Ht & _).
  induction Hin as [|l n ls ns [Hl Hn] Hin IH]; intros Hf; [destruct raise; cbn; lia|].
  inversion Hf as [|? ? ? ? F Hf']; subst. specialize (IH Hf').
  pose proof (upper_range b l Hv Hl).
  destruct raise; cbn [map sum]; [change (2 ^ 64) with 18446744073709551616 in F |]; lia.
Qed.

Lemma settle_rounds_spec b raise : is_valid b ->
  forall fuel s r ns blocks missing n missing',
  0 <= s -> 0 <= r <= 64 -> (s = 0 \/ r = 0) -> s + (64 - r) < Z.of_nat fuel ->
  inside b (b_lowers b) ns -> is_far b raise r (b_lowers b) ns ->
  is_short b raise ns missing -> are_sums blocks ->
  settle_rounds fuel b raise s ns blocks missing = (n, missing') ->
  settled b ns (of_outcomes n) blocks (of_blocks n) missing'.
Proof.
  intros Hv. pose proof Hv as (Hb & Ht & Hl & Hroom & _).
  induction fuel as [|fuel IH]; intros s r ns blocks missing n missing' Hs Hr Hsr Hfuel Hin Hfar Hsh Hbl E;
    [lia|].
  cbn [settle_rounds] in E. destruct Hsh as [Hm Hsum].
  destruct (Z.eqb_spec missing 0) as [M0 | M0].
  - injection E as <- <-. cbn [of_outcomes of_blocks].
    repeat split; try assumption; try lia; try (apply Hbl; assumption).
    + destruct raise; lia.
    + intros j Hj. rewrite Z.sub_diag, Z.add_0_r. symmetry. apply w64_small. apply Hbl. exact Hj.
  - destruct (settle_round b raise s 0 (b_lowers b) ns blocks missing) as [[ns1 blocks1] m1] eqn:E1.
    destruct (settle_round_spec b raise s Hv Hs _ _ _ _ _ _ _ _ Hin Hm Hbl E1)
      as (I1 & I2 & I3 & I4 & I5 & I6 & I7).
    assert (Hsh1 : is_short b raise ns1 m1) by (split; [lia|]; rewrite I3; destruct raise; lia).
    assert (J : settled b ns1 (of_outcomes n) blocks1 (of_blocks n) missing').
    { destruct (Z.eq_dec m1 0) as [-> | N1].
      - destruct fuel; cbn in E; injection E as <- <-; cbn [of_outcomes of_blocks];
          (split; [exact I1|]; split; [reflexivity|]; split; [destruct Hsh1; destruct raise; lia|];
           split; [reflexivity|]; split; [exact I5|]; intros j Hj; rewrite Z.sub_diag, Z.add_0_r;
           symmetry; apply w64_small, I5; exact Hj).
      - destruct I7 as [I7 | I7]; [lia|].
        destruct (Z.eq_dec s 0) as [-> | Ns].
        + assert (F1 : is_far b raise (r + 1) (b_lowers b) ns1)
            by (apply is_far_next with ns; try assumption; lia).
          assert (r <> 64).
          { intros ->. pose proof (sum_of_far b raise _ _ Hv Hin Hfar) as Q. destruct raise; lia. }
          apply (IH (Z.max (0 - 1) 0) (r + 1) ns1 blocks1 m1); try assumption; lia.
        + destruct Hsr as [| ->]; [lia|].
          apply (IH (Z.max (s - 1) 0) 0 ns1 blocks1 m1); try assumption; try lia.
          apply is_far_start; [exact I1|]. intros l Hin1.
          rewrite Forall_forall in Hl. specialize (Hl l Hin1). lia. }
    destruct J as (J1 & J2 & J3 & J4 & J5 & J6).
    split; [exact J1|]. split; [exact J2|]. split; [exact J3|]. split; [congruence|].
    split; [exact J5|]. intros j Hj. rewrite J6 by congruence. rewrite I6 by exact Hj.
    rewrite w64_add. f_equal; lia.
Qed.

Lemma settle_spec b n missing' total_sum ns blocks : is_valid b ->
  inside b (b_lowers b) ns -> total_sum = sum ns -> are_sums blocks ->
  settle b total_sum {| of_outcomes := ns; of_blocks := blocks |} = (n, missing') ->
  settled b ns (of_outcomes n) blocks (of_blocks n) missing'.
Proof.
  intros Hv Hin -> Hbl E. pose proof Hv as (Hb & Ht & Hl & Hroom & Hk & Hk2 & _).
  assert (Hsum : 0 <= sum ns <= 2 ^ 62 * (2 ^ 24 + 1)).
  { assert (Hlen : length (b_lowers b) = length ns) by (apply inside_length with b; exact Hin).
    assert (0 <= sum ns <= Z.of_nat (length ns) * 2 ^ 62).
    { clear - Hin Hv Ht. induction Hin as [|l n ls ns [Hl Hn] Hin IH]; cbn [sum length]; [lia|].
      pose proof (upper_range b l Hv Hl). lia. }
    nia. }
  unfold settle in E. cbn [of_outcomes of_blocks] in E.
  set (raise := sum ns <? b_total b) in *.
  eapply (settle_rounds_spec b raise Hv kRounds 32 0 ns blocks); try exact E; try assumption; try lia.
  - unfold kRounds. lia.
  - apply is_far_start; [exact Hin|]. intros l Hin1. rewrite Forall_forall in Hl.
    specialize (Hl l Hin1). lia.
  - subst raise. unfold is_short. destruct (Z.ltb_spec (sum ns) (b_total b)); rewrite sub128_exact by lia;
      split; lia.
Qed.
