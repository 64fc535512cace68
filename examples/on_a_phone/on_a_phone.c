/* The native methods of OnAPhone.java. An app links this file with libmollify_device.a into libon_a_phone.so. */
#include <jni.h>
#include <mollify/device.h>

/* The exception comes up in Java when the native method returns. */
static void throw_reason(JNIEnv* java, mollify_device_status status) {
  const char* name = status == MOLLIFY_DEVICE_INVALID_INPUT ? "java/lang/IllegalArgumentException"
                                                            : "java/lang/IllegalStateException";
  jclass exception = (*java)->FindClass(java, name);
  if (exception != NULL) (*java)->ThrowNew(java, exception, mollify_device_last_error());
}

static mollify_device_response* object_of(jlong place) {
  return (mollify_device_response*)(intptr_t)place;
}

JNIEXPORT jlong JNICALL Java_OnAPhone_create(JNIEnv* java, jclass self, jint outcomes,
                                             jstring epsilon) {
  mollify_device_response* response = NULL;
  mollify_device_status status;
  const char* text = epsilon == NULL ? NULL : (*java)->GetStringUTFChars(java, epsilon, NULL);
  (void)self;
  if (epsilon != NULL && text == NULL) return 0; /* Java has no memory, and throws */
  status = mollify_device_new_response((uint32_t)outcomes, text == NULL ? "" : text, &response);
  if (text != NULL) (*java)->ReleaseStringUTFChars(java, epsilon, text);
  if (status != MOLLIFY_DEVICE_OK) throw_reason(java, status);
  return (jlong)(intptr_t)response;
}

JNIEXPORT jint JNICALL Java_OnAPhone_respond(JNIEnv* java, jclass self, jlong response,
                                             jint answer) {
  const uint32_t value = (uint32_t)answer; /* private: never refused */
  uint32_t report = 0;
  const mollify_device_status status =
      mollify_device_respond(object_of(response), &value, 1, &report);
  (void)self;
  if (status != MOLLIFY_DEVICE_OK) throw_reason(java, status);
  return (jint)report;
}

JNIEXPORT void JNICALL Java_OnAPhone_free(JNIEnv* java, jclass self, jlong response) {
  (void)java;
  (void)self;
  mollify_device_free_response(object_of(response));
}
