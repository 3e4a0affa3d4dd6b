# docker build -t corollary .
# docker run --rm -v "$PWD:/work" corollary examine net.py:build --out examination.html
FROM node:22-slim AS node

FROM python:3.12-slim AS build
# npm fetches the formula renderer that the pages embed.
COPY --from=node /usr/local/bin/node /usr/local/bin/
COPY --from=node /usr/local/lib/node_modules /usr/local/lib/node_modules
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
WORKDIR /source
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.12-slim
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
COPY constraints.txt /tmp/
COPY --from=build /wheels /wheels
# torch first and from its own index: the build without CUDA is a tenth of the size.
RUN pip install --no-cache-dir -c /tmp/constraints.txt --index-url "$TORCH_INDEX" \
      --extra-index-url https://pypi.org/simple torch \
 && pip install --no-cache-dir -c /tmp/constraints.txt "$(ls /wheels/*.whl)[data]" \
 && rm -r /wheels \
 && useradd --create-home --uid 1000 user
USER 1000
WORKDIR /work
ENTRYPOINT ["corollary"]
CMD ["--help"]
