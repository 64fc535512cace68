/**
 * A phone that reports one of fourteen answers: mollify/device.h for Java and Kotlin, through on_a_phone.c.
 */
public final class OnAPhone implements AutoCloseable {
  static {
    System.loadLibrary("on_a_phone");
  }

  private long response;

  /**
   * Randomized response among {@code outcomes} values, from 1 to 16777216. The epsilon of each report is a
   * text, because the double nearest to 0.1 is larger than 0.1. Throws an IllegalArgumentException if one of
   * the two cannot be used.
   */
  public OnAPhone(int outcomes, String epsilon) {
    response = create(outcomes, epsilon);
  }

  /**
   * The only thing to send. The private answer is from 0 to {@code outcomes - 1}; another number counts as 0.
   * Throws an IllegalStateException if the system gives no entropy: send nothing then.
   */
  public synchronized int report(int answer) {
    if (response == 0) throw new IllegalStateException("this object is closed");
    return respond(response, answer);
  }

  @Override
  public synchronized void close() {
    free(response);
    response = 0;
  }

  private static native long create(int outcomes, String epsilon);

  private static native int respond(long response, int answer);

  private static native void free(long response);

  public static void main(String[] arguments) {
    final int answer = 3; // private: one of 14
    try (OnAPhone phone = new OnAPhone(14, "2")) {
      System.out.println("to send: report " + phone.report(answer) + " of 14");
    }
    try (OnAPhone phone = new OnAPhone(14, "two")) {
      System.out.println("never printed: " + phone.report(answer));
    } catch (IllegalArgumentException refused) {
      System.out.println("refused: " + refused.getMessage());
    }
  }
}
