// SPDX-License-Identifier: Apache-2.0
// The shape functions of all operator families, as the registry names them (onnx_registry.c tells which operators use
// which), and what the families share.
#ifndef MEMPLAN_INSTANCES_ONNX_SHAPE_FAMILIES_H
#define MEMPLAN_INSTANCES_ONNX_SHAPE_FAMILIES_H

#include "instances/onnx_shape.h"

// Clamps the bounds of a slice over a dimension of `size` as ONNX does. *start becomes the first index taken, *count
// their number. False if step is 0.
bool memplan_shape_slice_range(int64_t size, int64_t *start, int64_t end, int64_t step, int64_t *count);

// Marks the axes that a reduction removes (`axes`: an attribute before opset `input_since`, input 1 from then on).
// *n_axes: how many; if they are not known one by one, -1 - their number, or INT64_MIN.
memplan_status memplan_shape_reduced_axes(memplan_call *call, int32_t rank, int64_t input_since, bool *marks,
                                          int64_t *n_axes);

// An element type given as a number, 0 if there is none with it.
int32_t memplan_elem_type_checked(int64_t number);

// Elementwise: onnx_shape_elementwise.c
memplan_status memplan_shape_same(memplan_call *call);
memplan_status memplan_shape_same_bool(memplan_call *call);
memplan_status memplan_shape_broadcast(memplan_call *call);
memplan_status memplan_shape_compare(memplan_call *call);
memplan_status memplan_shape_variadic(memplan_call *call);
memplan_status memplan_shape_where(memplan_call *call);
memplan_status memplan_shape_cast(memplan_call *call);
memplan_status memplan_shape_cast_like(memplan_call *call);
memplan_status memplan_shape_dropout(memplan_call *call);
memplan_status memplan_shape_scalar_bool(memplan_call *call);

// Convolution and pooling: onnx_shape_conv.c
memplan_status memplan_shape_conv(memplan_call *call);
memplan_status memplan_shape_conv_blocked(memplan_call *call);
memplan_status memplan_shape_conv_integer(memplan_call *call);
memplan_status memplan_shape_qlinear_conv(memplan_call *call);
memplan_status memplan_shape_qlinear_conv_nhwc(memplan_call *call);
memplan_status memplan_shape_conv_nhwc(memplan_call *call);
memplan_status memplan_shape_conv_nhwc_weights(memplan_call *call);
memplan_status memplan_shape_conv_transpose(memplan_call *call);
memplan_status memplan_shape_conv_transpose_nhwc(memplan_call *call);
memplan_status memplan_shape_qlinear_conv_transpose_nhwc(memplan_call *call);
memplan_status memplan_shape_conv_transpose_pads(memplan_call *call);
memplan_status memplan_shape_pool(memplan_call *call);
memplan_status memplan_shape_pool_nhwc(memplan_call *call);
memplan_status memplan_shape_qlinear_pool(memplan_call *call);
memplan_status memplan_shape_global_pool(memplan_call *call);
memplan_status memplan_shape_global_pool_nhwc(memplan_call *call);
memplan_status memplan_shape_qlinear_global_pool(memplan_call *call);
memplan_status memplan_shape_max_unpool(memplan_call *call);
memplan_status memplan_shape_max_roi_pool(memplan_call *call);
memplan_status memplan_shape_col2im(memplan_call *call);

// Reduction and selection along an axis: onnx_shape_reduce.c
memplan_status memplan_shape_reduce(memplan_call *call);
memplan_status memplan_shape_reduce_sum(memplan_call *call);
memplan_status memplan_shape_reduce_sum_integer(memplan_call *call);
memplan_status memplan_shape_reduce_attribute(memplan_call *call);
memplan_status memplan_shape_arg(memplan_call *call);
memplan_status memplan_shape_along_axis(memplan_call *call);
memplan_status memplan_shape_topk(memplan_call *call);
memplan_status memplan_shape_unique(memplan_call *call);
memplan_status memplan_shape_nonzero(memplan_call *call);
memplan_status memplan_shape_compress(memplan_call *call);

// Shape and order: onnx_shape_layout.c
memplan_status memplan_shape_reshape(memplan_call *call);
memplan_status memplan_shape_flatten(memplan_call *call);
memplan_status memplan_shape_squeeze(memplan_call *call);
memplan_status memplan_shape_unsqueeze(memplan_call *call);
memplan_status memplan_shape_expand_dims(memplan_call *call);
memplan_status memplan_shape_transpose(memplan_call *call);
memplan_status memplan_shape_depth_to_space(memplan_call *call);
memplan_status memplan_shape_depth_to_space_nhwc(memplan_call *call);
memplan_status memplan_shape_space_to_depth(memplan_call *call);
memplan_status memplan_shape_space_to_depth_nhwc(memplan_call *call);

// Cutting, joining, repeating: onnx_shape_pieces.c
memplan_status memplan_shape_concat(memplan_call *call);
memplan_status memplan_shape_qlinear_concat(memplan_call *call);
memplan_status memplan_shape_split(memplan_call *call);
memplan_status memplan_shape_slice(memplan_call *call);
memplan_status memplan_shape_pad(memplan_call *call);
memplan_status memplan_shape_pad_input(memplan_call *call);
memplan_status memplan_shape_expand(memplan_call *call);
memplan_status memplan_shape_tile(memplan_call *call);
memplan_status memplan_shape_center_crop_pad(memplan_call *call);
memplan_status memplan_shape_unfold(memplan_call *call);

// Indexing, and tensors made from data: onnx_shape_index.c
memplan_status memplan_shape_gather(memplan_call *call);
memplan_status memplan_shape_gather_elements(memplan_call *call);
memplan_status memplan_shape_gather_nd(memplan_call *call);
memplan_status memplan_shape_one_hot(memplan_call *call);
memplan_status memplan_shape_of(memplan_call *call);
memplan_status memplan_shape_size(memplan_call *call);
memplan_status memplan_shape_constant(memplan_call *call);
memplan_status memplan_shape_constant_of_shape(memplan_call *call);
memplan_status memplan_shape_range(memplan_call *call);
memplan_status memplan_shape_eye_like(memplan_call *call);
memplan_status memplan_shape_scatter(memplan_call *call);

// Linear algebra: onnx_shape_linear.c
memplan_status memplan_shape_matmul(memplan_call *call);
memplan_status memplan_shape_matmul_integer(memplan_call *call);
memplan_status memplan_shape_matmul_to_float(memplan_call *call);
memplan_status memplan_shape_qlinear_matmul(memplan_call *call);
memplan_status memplan_shape_matmul_ordered(memplan_call *call);
memplan_status memplan_shape_fused_matmul(memplan_call *call);
memplan_status memplan_shape_gemm(memplan_call *call);
memplan_status memplan_shape_gemm_float8(memplan_call *call);
memplan_status memplan_shape_qgemm(memplan_call *call);
memplan_status memplan_shape_matmul_packed(memplan_call *call);
memplan_status memplan_shape_matmul_fpq4(memplan_call *call);
memplan_status memplan_shape_det(memplan_call *call);
memplan_status memplan_shape_cdist(memplan_call *call);
memplan_status memplan_shape_einsum(memplan_call *call);

// Normalisation and losses: onnx_shape_norm.c
memplan_status memplan_shape_batch_norm(memplan_call *call);
memplan_status memplan_shape_batch_norm_nhwc(memplan_call *call);
memplan_status memplan_shape_layer_norm(memplan_call *call);
memplan_status memplan_shape_skip_layer_norm(memplan_call *call);
memplan_status memplan_shape_skip_group_norm(memplan_call *call);
memplan_status memplan_shape_embed_layer_norm(memplan_call *call);
memplan_status memplan_shape_nll_loss(memplan_call *call);
memplan_status memplan_shape_cross_entropy_loss(memplan_call *call);

// Recurrent networks: onnx_shape_recurrent.c
memplan_status memplan_shape_rnn(memplan_call *call);
memplan_status memplan_shape_gru(memplan_call *call);
memplan_status memplan_shape_lstm(memplan_call *call);
memplan_status memplan_shape_quantized_lstm(memplan_call *call);

// Attention: onnx_shape_attention.c
memplan_status memplan_shape_attention(memplan_call *call);
memplan_status memplan_shape_attention_packed(memplan_call *call);
memplan_status memplan_shape_attention_quantized(memplan_call *call);
memplan_status memplan_shape_attention_multi_head(memplan_call *call);
memplan_status memplan_shape_attention_group_query(memplan_call *call);
memplan_status memplan_shape_attention_sparse(memplan_call *call);
memplan_status memplan_shape_attention_tokens(memplan_call *call);
memplan_status memplan_shape_attention_linear(memplan_call *call);
memplan_status memplan_shape_attention_flex(memplan_call *call);
memplan_status memplan_shape_causal_conv(memplan_call *call);
memplan_status memplan_shape_relative_position_bias(memplan_call *call);
memplan_status memplan_shape_gated_relative_position_bias(memplan_call *call);

// Control flow: onnx_shape_control.c
memplan_status memplan_shape_if(memplan_call *call);
memplan_status memplan_shape_loop(memplan_call *call);
memplan_status memplan_shape_scan(memplan_call *call);
memplan_status memplan_shape_sequence_map(memplan_call *call);

// Sequences and optionals: onnx_shape_sequence.c
memplan_status memplan_shape_sequence_construct(memplan_call *call);
memplan_status memplan_shape_sequence_empty(memplan_call *call);
memplan_status memplan_shape_sequence_insert(memplan_call *call);
memplan_status memplan_shape_sequence_erase(memplan_call *call);
memplan_status memplan_shape_sequence_at(memplan_call *call);
memplan_status memplan_shape_sequence_length(memplan_call *call);
memplan_status memplan_shape_concat_from_sequence(memplan_call *call);
memplan_status memplan_shape_split_to_sequence(memplan_call *call);
memplan_status memplan_shape_identity(memplan_call *call);
memplan_status memplan_shape_optional(memplan_call *call);
memplan_status memplan_shape_optional_get(memplan_call *call);
memplan_status memplan_shape_optional_has(memplan_call *call);

// Quantization: onnx_shape_quantize.c
memplan_status memplan_shape_quantize(memplan_call *call);
memplan_status memplan_shape_dequantize(memplan_call *call);
memplan_status memplan_shape_dynamic_quantize(memplan_call *call);
memplan_status memplan_shape_qlinear_binary(memplan_call *call);
memplan_status memplan_shape_mul_integer(memplan_call *call);
memplan_status memplan_shape_qlinear_where(memplan_call *call);
memplan_status memplan_shape_quantize_order(memplan_call *call);
memplan_status memplan_shape_dequantize_order(memplan_call *call);
memplan_status memplan_shape_gather_block(memplan_call *call);

// Random numbers: onnx_shape_random.c
memplan_status memplan_shape_random(memplan_call *call);
memplan_status memplan_shape_random_like(memplan_call *call);
memplan_status memplan_shape_multinomial(memplan_call *call);

// Signals: onnx_shape_signal.c
memplan_status memplan_shape_window(memplan_call *call);
memplan_status memplan_shape_mel_weights(memplan_call *call);
memplan_status memplan_shape_dft(memplan_call *call);
memplan_status memplan_shape_stft(memplan_call *call);
memplan_status memplan_shape_rfft(memplan_call *call);
memplan_status memplan_shape_irfft(memplan_call *call);

// Images: onnx_shape_vision.c
memplan_status memplan_shape_resize(memplan_call *call);
memplan_status memplan_shape_upsample(memplan_call *call);
memplan_status memplan_shape_upsample_blocked(memplan_call *call);
memplan_status memplan_shape_grid_sample(memplan_call *call);
memplan_status memplan_shape_grid_sample_nhwc(memplan_call *call);
memplan_status memplan_shape_affine_grid(memplan_call *call);
memplan_status memplan_shape_roi_align(memplan_call *call);
memplan_status memplan_shape_crop_and_resize(memplan_call *call);
memplan_status memplan_shape_non_max_suppression(memplan_call *call);
memplan_status memplan_shape_image_decoder(memplan_call *call);
memplan_status memplan_shape_crop(memplan_call *call);

// Strings: onnx_shape_text.c
memplan_status memplan_shape_string_normalizer(memplan_call *call);
memplan_status memplan_shape_tfidf(memplan_call *call);
memplan_status memplan_shape_string_split(memplan_call *call);
memplan_status memplan_shape_tokenizer(memplan_call *call);

// Classical models: onnx_shape_ml.c
memplan_status memplan_shape_linear_classifier(memplan_call *call);
memplan_status memplan_shape_tree_classifier(memplan_call *call);
memplan_status memplan_shape_svm_classifier(memplan_call *call);
memplan_status memplan_shape_linear_regressor(memplan_call *call);
memplan_status memplan_shape_tree_regressor(memplan_call *call);
memplan_status memplan_shape_tree_ensemble(memplan_call *call);
memplan_status memplan_shape_svm_regressor(memplan_call *call);
memplan_status memplan_shape_same_float(memplan_call *call);
memplan_status memplan_shape_label_encoder(memplan_call *call);
memplan_status memplan_shape_category_mapper(memplan_call *call);
memplan_status memplan_shape_one_hot_encoder(memplan_call *call);
memplan_status memplan_shape_array_feature_extractor(memplan_call *call);
memplan_status memplan_shape_feature_vectorizer(memplan_call *call);
memplan_status memplan_shape_cast_map(memplan_call *call);
memplan_status memplan_shape_dict_vectorizer(memplan_call *call);
memplan_status memplan_shape_zip_map(memplan_call *call);

// Optimizers: onnx_shape_training.c
memplan_status memplan_shape_optimizer_one_state(memplan_call *call);
memplan_status memplan_shape_optimizer_two_states(memplan_call *call);
memplan_status memplan_shape_gradient(memplan_call *call);

// onnxruntime: onnx_shape_microsoft.c
memplan_status memplan_shape_half_last(memplan_call *call);
memplan_status memplan_shape_bitmask_dropout(memplan_call *call);
memplan_status memplan_shape_bias_dropout(memplan_call *call);
memplan_status memplan_shape_reorder_output(memplan_call *call);
memplan_status memplan_shape_reorder_input(memplan_call *call);
memplan_status memplan_shape_murmur_hash(memplan_call *call);
memplan_status memplan_shape_rotary_pair(memplan_call *call);
memplan_status memplan_shape_restore_padding(memplan_call *call);
memplan_status memplan_shape_remove_padding(memplan_call *call);

#endif
