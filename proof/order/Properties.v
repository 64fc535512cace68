(** Shuffles: each order is equally likely, and the order before is forgotten. *)
From Coq Require Import ZArith List Bool Lia Permutation Reals Lra Psatz.
From Mollify Require Import random.Code random.Properties law.Code law.Properties
  table.Properties privacy.Properties channels.Code channels.Chosen order.Code.
Import ListNotations.

(** *** Lists of which two elements are swapped. *)

Lemma set_length {A} (l : list A) i x : length (set l i x) = length l.
Proof. revert i. induction l as [|y l IH]; intros [|i]; cbn [set length]; auto. Qed.
Lemma set_app_l {A} (l m : list A) i x : (i < length l)%nat -> set (l ++ m) i x = set l i x ++ m.
Proof.
  revert i. induction l as [|y l IH]; intros i L; cbn [length] in L; [lia|].
  destruct i as [|i]; cbn [set app]; [reflexivity | rewrite IH by lia; reflexivity].
Qed.
Lemma set_last {A} (l : list A) x y : set (l ++ [x]) (length l) y = l ++ [y].
Proof. induction l as [|z l IH]; cbn [set app length]; [reflexivity | rewrite IH; reflexivity]. Qed.
Lemma set_same {A} (l : list A) i x d : nth i l d = x -> (i < length l)%nat -> set l i x = l.
Proof.
  revert i. induction l as [|z l IH]; intros i E L; cbn [length] in L; [lia|].
  destruct i as [|i]; cbn [set nth] in *; [rewrite E; reflexivity | rewrite IH by (assumption || lia); reflexivity].
Qed.

(** The chosen one goes behind the others, the last of the others takes its place. *)
Lemma swapped_app l s i j : (i < length l)%nat -> (j < length l)%nat ->
  swapped (l ++ s) i j = swapped l i j ++ s.
Proof.
  intros Hi Hj. unfold swapped. rewrite !app_nth1 by assumption.
  rewrite set_app_l by assumption. rewrite set_app_l by (rewrite set_length; assumption). reflexivity.
Qed.

Lemma swapped_last l x j : (j < S (length l))%nat ->
  exists m, swapped (l ++ [x]) (length l) j = m ++ [fst (taken 0%Z (l ++ [x]) j)] /\
            Permutation m (snd (taken 0%Z (l ++ [x]) j)).
Proof.
  intros Hj. unfold swapped.
  assert (E : nth (length l) (l ++ [x]) 0%Z = x) by (rewrite app_nth2, Nat.sub_diag; [reflexivity | lia]).
  rewrite E, set_last. clear E.
  revert j Hj. induction l as [|y l IH]; intros j Hj; cbn [length] in Hj.
  - replace j with O by lia. exists []. split; reflexivity.
  - destruct j as [|j].
    + exists (x :: l). cbn. split; [reflexivity|]. apply Permutation_cons_append.
    + destruct (IH j ltac:(lia)) as (m & E & P). cbn [app nth set taken].
      destruct (taken 0%Z (l ++ [x]) j) as [z w]. cbn [fst snd] in *.
      exists (y :: m). rewrite E. split; [reflexivity | constructor; exact P].
Qed.

(** *** The law. *)
Open Scope R_scope.

Lemma expectation_of_shuffle_step less values s f :
  length values = S (S less) ->
  (forall l l', Permutation l l' -> length l = S less -> forall s,
     expectation (shuffle_from (S less) (l ++ s)) f = expectation (shuffle_from (S less) (l' ++ s)) f) ->
  expectation (shuffle_from (S (S less)) (values ++ s)) f
  = total_of (picks values) (fun p => expectation (shuffle_from (S less) (snd p ++ fst p :: s)) f)
    / INR (S (S less)).
Proof.
  intros L H.
  change (shuffle_from (S (S less)) (values ++ s)) with
    (Below (Z.of_nat (S (S less))) (fun chosen =>
       shuffle_from (S less) (swapped (values ++ s) (S less) (Z.to_nat chosen)))).
  cbn [expectation]. rewrite Nat2Z.id, <- INR_IZR_INZ. f_equal.
  rewrite <- (sum_over_positions values 0%Z (fun a l => expectation (shuffle_from (S less) (l ++ a :: s)) f)).
  rewrite L. apply sum_ext. intros p Hp.
  assert (V : exists v x, values = v ++ [x] /\ length v = S less).
  { destruct values as [|a values] using rev_ind; [discriminate L|].
    exists values, a. rewrite app_length in L. cbn in L. split; [reflexivity | lia]. }
  destruct V as (v & x & -> & Lv). rewrite swapped_app by (rewrite L; lia).
  rewrite <- Lv. destruct (swapped_last v x (Z.to_nat p) ltac:(lia)) as (m & E & P). rewrite E.
  rewrite <- app_assoc. cbn [app]. rewrite Lv. apply H; [exact P|].
  apply Permutation_length in P.
  assert (Q : length ((v ++ [x])) = S (length (snd (taken 0%Z (v ++ [x]) (Z.to_nat p))))).
  { assert (B : (Z.to_nat p < length (v ++ [x]))%nat) by (rewrite L; lia). clear - B. revert B.
    generalize (Z.to_nat p). induction (v ++ [x]) as [|y w IH]; intros q B; cbn [length] in *; [lia|].
    destruct q as [|q]; cbn [taken]; [reflexivity|]. specialize (IH q ltac:(lia)).
    destruct (taken 0%Z w q) as [a b]. cbn [snd length] in *. lia. }
  lia.
Qed.

(** Which of the orders the values had does not matter. *)
Lemma shuffle_from_permutation n : forall l l', Permutation l l' -> length l = n -> forall s f,
  expectation (shuffle_from n (l ++ s)) f = expectation (shuffle_from n (l' ++ s)) f.
Proof.
  induction n as [|n IH]; intros l l' P L s f.
  - destruct l; [|discriminate L]. apply Permutation_nil in P. subst. reflexivity.
  - destruct n as [|less].
    + destruct l as [|x [|y l]]; try discriminate L. apply Permutation_length_1_inv in P. subst. reflexivity.
    + assert (H : forall l l', Permutation l l' -> length l = S less -> forall s,
        expectation (shuffle_from (S less) (l ++ s)) f = expectation (shuffle_from (S less) (l' ++ s)) f)
        by (intros; apply IH; assumption).
      rewrite expectation_of_shuffle_step by assumption.
      rewrite (expectation_of_shuffle_step less l') by (try assumption; rewrite <- L; symmetry; apply Permutation_length; exact P).
      f_equal.
      (* picks of l leave S less elements, so the lists' order does not matter *)
      set (g := fun (x : Z) (m : list Z) => if (length m =? S less)%nat
                then expectation (shuffle_from (S less) (m ++ x :: s)) f else 0).
      assert (G : forall l, length l = S (S less) -> total_of (picks l)
                (fun p => expectation (shuffle_from (S less) (snd p ++ fst p :: s)) f)
                = total_of (picks l) (fun p => g (fst p) (snd p))).
      { intros k Lk. apply total_ext. intros p Hp. unfold g. pose proof (picks_lengths k p Hp) as E.
        rewrite Lk in E. injection E as E. rewrite <- E, Nat.eqb_refl. reflexivity. }
      rewrite !G by (try assumption; rewrite <- L; symmetry; apply Permutation_length; exact P).
      apply picks_permutation; [exact P|]. intros x m m' Pm. unfold g.
      rewrite (Permutation_length Pm). destruct (Nat.eqb_spec (length m') (S less)) as [E | E]; [|reflexivity].
      apply H; [exact Pm|]. rewrite (Permutation_length Pm). exact E.
Qed.

(** What is behind the values stays there. *)
Lemma shuffle_keeps_rest n : forall l s f c, length l = n ->
  (forall m, length m = n -> f (m ++ s) = c) -> expectation (shuffle_from n (l ++ s)) f = c.
Proof.
  induction n as [|n IH]; intros l s f c L H; [cbn [shuffle_from expectation]; apply H; exact L|].
  destruct n as [|less]; [cbn [shuffle_from expectation]; apply H; exact L|].
  rewrite expectation_of_shuffle_step; [|exact L|intros; apply shuffle_from_permutation; assumption].
  rewrite (total_ext _ _ (fun _ => c)).
  - rewrite total_const, picks_length, L. field. apply not_0_INR. lia.
  - intros p Hp. apply IH.
    + pose proof (picks_lengths l p Hp) as E. rewrite L in E. injection E as E. symmetry. exact E.
    + intros m Lm. change (m ++ fst p :: s) with (m ++ [fst p] ++ s). rewrite app_assoc. apply H.
      rewrite app_length, Lm. cbn. lia.
Qed.

Lemma picks_are_permutations {A} (l : list A) p : In p (picks l) -> Permutation l (fst p :: snd p).
Proof.
  revert p. induction l as [|x l IH]; intros p H; cbn [picks] in H; [destruct H|].
  destruct H as [<- | H]; [reflexivity|]. apply in_map_iff in H. destruct H as (q & <- & H). cbn [fst snd].
  rewrite (IH q H) at 1. constructor.
Qed.
Lemma picks_in {A} (l : list A) p : In p (picks l) -> In (fst p) l.
Proof.
  intros H. apply Permutation_in with (fst p :: snd p); [symmetry; apply picks_are_permutations; exact H|].
  left. reflexivity.
Qed.

(** Each order of values that differ is equally likely. *)
Lemma shuffle_from_uniform n : forall l l' s, NoDup l -> Permutation l l' -> length l = n ->
  expectation (shuffle_from n (l ++ s)) (indicator (fun out => if list_eq_dec Z.eq_dec out (l' ++ s) then true else false))
  = / INR (fact n).
Proof.
  assert (Same : forall (A : list Z), indicator (fun out => if list_eq_dec Z.eq_dec out A then true else false) A = 1).
  { intros A. unfold indicator. destruct (list_eq_dec Z.eq_dec A A); [reflexivity | congruence]. }
  induction n as [|n IH]; intros l l' s N P L.
  - destruct l; [|discriminate L]. apply Permutation_nil in P. subst. cbn [shuffle_from expectation].
    rewrite Same. cbn. lra.
  - destruct n as [|less].
    + destruct l as [|x [|y l]]; try discriminate L. apply Permutation_length_1_inv in P. subst.
      cbn [shuffle_from expectation]. rewrite Same. cbn. lra.
    + rewrite expectation_of_shuffle_step; [|exact L|intros; apply shuffle_from_permutation; assumption].
      assert (V : exists v z, l' = v ++ [z]).
      { destruct l' as [|a v] using rev_ind; [apply Permutation_length in P; rewrite L in P; discriminate P|].
        exists v, a. reflexivity. }
      destruct V as (v & z & ->).
      (* a draw that puts another value than z here never ends with z *)
      assert (T : total_of (picks l) (fun p => expectation (shuffle_from (S less) (snd p ++ fst p :: s))
                    (indicator (fun out => if list_eq_dec Z.eq_dec out ((v ++ [z]) ++ s) then true else false)))
                  = total_of (picks l) (fun p => if Z.eq_dec (fst p) z then / INR (fact (S less)) else 0)).
      { apply total_ext. intros p Hp. destruct (Z.eq_dec (fst p) z) as [Ez | Nz].
        - rewrite <- app_assoc. cbn [app]. rewrite <- Ez.
          pose proof (picks_are_permutations l p Hp) as Q.
          assert (Pv : Permutation (snd p) v).
          { apply Permutation_cons_inv with (fst p). rewrite <- Q, P, Ez. apply Permutation_sym, Permutation_cons_append. }
          apply IH; [|exact Pv|].
          + assert (Nd : NoDup (fst p :: snd p)) by (eapply Permutation_NoDup; [exact Q | exact N]).
            inversion Nd; assumption.
          + pose proof (picks_lengths l p Hp) as E. rewrite L in E. injection E as E. symmetry. exact E.
        - apply shuffle_keeps_rest.
          + pose proof (picks_lengths l p Hp) as E. rewrite L in E. injection E as E. symmetry. exact E.
          + intros m Lm. unfold indicator.
              destruct (list_eq_dec Z.eq_dec (m ++ fst p :: s) ((v ++ [z]) ++ s)) as [E|]; [|reflexivity].
              exfalso. rewrite <- app_assoc in E. cbn [app] in E.
              apply Permutation_length in P. rewrite app_length in P. cbn [length] in P. rewrite L in P.
              assert (Lv : length m = length v) by lia.
              apply Nz. clear - E Lv. revert v Lv E.
              induction m as [|a m IHm]; intros [|b v] Lv E; try discriminate Lv; cbn [app] in E;
                [injection E; auto | injection E as _ E; apply (IHm v); [injection Lv; auto | exact E]]. }
      rewrite T. clear T.
      assert (C : forall l c, NoDup l -> In z l ->
        total_of (picks l) (fun p => if Z.eq_dec (fst p) z then c else 0) = c).
      { clear. intros l c N I. induction N as [|x l Nx N IH]; [destruct I|].
        cbn [picks total_of fst]. rewrite total_map. cbn [fst].
        destruct (Z.eq_dec x z) as [-> | D].
        - rewrite (total_ext _ _ (fun _ => 0)).
          + rewrite total_const. lra.
          + intros p Hp. destruct (Z.eq_dec (fst p) z) as [E|]; [|reflexivity]. exfalso. apply Nx.
            rewrite <- E. apply picks_in. exact Hp.
        - destruct I as [-> | I]; [congruence|]. rewrite IH by exact I. lra. }
      rewrite C; [|exact N|].
      2: { apply Permutation_in with (v ++ [z]); [symmetry; exact P|]. apply in_or_app. right. left. reflexivity. }
      change (fact (S (S less))) with (S (S less) * fact (S less))%nat. rewrite mult_INR.
      assert (INR (S (S less)) <> 0) by (apply not_0_INR; lia).
      pose proof (INR_fact_neq_0 (S less)). field. split; assumption.
Qed.
