/* The files of data/models that BuiltinSample lays out. */
    .section .rodata
    .global npuscope_sample_model, npuscope_sample_model_end
    .global npuscope_sample_inputs, npuscope_sample_inputs_end
npuscope_sample_model:
    .incbin "data/models/digits_resnet.onnx"
npuscope_sample_model_end:
npuscope_sample_inputs:
    .incbin "data/models/digits_resnet.io.npz"
npuscope_sample_inputs_end:
    .section .note.GNU-stack,"",%progbits
