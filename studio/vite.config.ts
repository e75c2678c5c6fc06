import { defineConfig } from "vite";

// The program embeds exactly three files, so their names are fixed and everything else is turned off.
export default defineConfig({
  base: "./",
  publicDir: false,
  build: {
    // Embedded by the crate, and in the repository, so that building it needs no Node.
    outDir: "../agent-studio/page",
    emptyOutDir: true,
    // Browsers that know `light-dark()`, which the colour tokens use.
    target: ["chrome125", "firefox128", "safari17.5"],
    cssCodeSplit: false,
    modulePreload: false,
    sourcemap: false,
    assetsInlineLimit: 0,
    rollupOptions: {
      output: {
        entryFileNames: "studio.js",
        assetFileNames: "studio.[ext]",
        codeSplitting: false,
      },
    },
  },
});
