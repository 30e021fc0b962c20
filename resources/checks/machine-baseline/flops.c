/* Multiply and add in float32 on one core, in numbers that stay in registers. */
enum { LANES = 128 };

double work(long rounds) {
    float x[LANES];
    for (int i = 0; i < LANES; i++) x[i] = 1.0f + 0.001f * (float)i;
    for (long round = 0; round < rounds; round++)
        for (int i = 0; i < LANES; i++) x[i] = x[i] * 0.999f + 0.001f;
    double sum = 0.0;
    for (int i = 0; i < LANES; i++) sum += x[i];
    return sum;
}

void nothing(void) {}
