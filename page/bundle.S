/* The script and the style of every page, as scripts/report-bundle made them. */
    .section .rodata
    .global npuscope_page_script, npuscope_page_script_end
    .global npuscope_page_style, npuscope_page_style_end
npuscope_page_script:
    .incbin "page/bundle/page.js"
npuscope_page_script_end:
npuscope_page_style:
    .incbin "page/bundle/page.css"
npuscope_page_style_end:
    .section .note.GNU-stack,"",%progbits
