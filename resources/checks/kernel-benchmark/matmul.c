/* Two ways of one product of square matrices, row-major, float32: c = a * b. */

/* The baseline: each element by itself, walking down a column of b. */
void by_element(int n, const float *a, const float *b, float *c) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0.0f;
            for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

/* The candidate: a row of b at a time, which a compiler can vectorise. */
void by_row(int n, const float *a, const float *b, float *c) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) c[i * n + j] = 0.0f;
        for (int k = 0; k < n; k++) {
            float scale = a[i * n + k];
            for (int j = 0; j < n; j++) c[i * n + j] += scale * b[k * n + j];
        }
    }
}
