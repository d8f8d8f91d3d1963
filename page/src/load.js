// The data that the page carries: gzip in base64, or plain JSON where a browser cannot unpack.

/** Bytes of a text in base64. */
function bytesOf(text) {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** The object in <script id="data">. Throws where the browser is too old or the text is damaged. */
export async function loadData() {
  const text = document.getElementById("data").textContent;
  if (typeof DecompressionStream === "undefined")
    throw new Error("this browser cannot unpack the page's data (it lacks DecompressionStream)");
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}
